package fsx

import (
	"io/fs"
	"os"
)

const openFlags = 0

func keepOwner(*os.File, fs.FileInfo) {}
