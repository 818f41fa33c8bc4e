package tool

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"paicli/agent"
	"paicli/internal/fsx"
	"paicli/llm"
)

// maxImage bounds an image that is shown, in bytes; most providers refuse larger ones.
const maxImage = 5 << 20

// imageFormat names the format of an image by its first bytes, "" for what is none that a model can
// be shown. Names of files lie.
func imageFormat(f *os.File) string {
	var head [16]byte
	n, _ := f.ReadAt(head[:], 0) // what cannot be read is no image; reading it as text tells why
	switch p := head[:n]; {
	case bytes.HasPrefix(p, []byte("\x89PNG\r\n\x1a\n")):
		return "PNG"
	case bytes.HasPrefix(p, []byte("\xff\xd8\xff")):
		return "JPEG"
	case bytes.HasPrefix(p, []byte("GIF87a")), bytes.HasPrefix(p, []byte("GIF89a")):
		return "GIF"
	case len(p) >= 12 && string(p[:4]) == "RIFF" && string(p[8:12]) == "WEBP":
		return "WebP"
	}
	return ""
}

// showImage gives an image to a model that takes images.
func (w *workspace) showImage(p fsx.Path, f *os.File, format string) (agent.Output, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxImage+1))
	if err != nil {
		return agent.Output{}, w.explain(p.Rel, err)
	}
	switch {
	case w.images == nil || !w.images():
		return agent.Output{}, fmt.Errorf("%s is a binary file, a %s image, and this model takes no images: use a command such as file on it", p.Rel, format)
	case len(data) > maxImage:
		return agent.Output{}, fmt.Errorf("%s is a %s image of more than %d MiB: make it smaller with a command", p.Rel, format, maxImage>>20)
	}
	return agent.Output{
		Text:   fmt.Sprintf("%s is a %s image of %s", p.Rel, format, plural(len(data), "byte")),
		Media:  []llm.Media{{MIME: mimeOf(format), Data: data}},
		Detail: files([]string{p.Rel}, 0),
	}, nil
}

func mimeOf(format string) string {
	switch format {
	case "PNG":
		return "image/png"
	case "JPEG":
		return "image/jpeg"
	case "GIF":
		return "image/gif"
	}
	return "image/webp"
}
