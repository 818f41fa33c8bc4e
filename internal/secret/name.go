package secret

import (
	"strings"
	"unicode"
)

// Name reports whether a name of a variable, field, header or flag says that its value is a secret.
func Name(name string) bool {
	words := split(name)
	secret := false
	for i, w := range words {
		switch w {
		case "max", "min", "count", "budget", "limit", "usage", "url", "uri", "endpoint", "file", "path", "name", "type", "ttl", "expires", "length":
			return false // says something about a secret
		case "authorization", "pat":
			secret = true
		case "pwd":
			secret = secret || len(words) > 1 // alone it is the working directory
		case "key":
			secret = secret || i > 0 && keyOf(words[i-1])
		default:
			secret = secret || endsSecret(w)
		}
	}
	return secret
}

func endsSecret(w string) bool {
	for _, end := range []string{"password", "passwd", "passphrase", "secret", "token", "credential", "credentials", "apikey", "secretkey", "accesskey", "privatekey", "authkey"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// keyOf reports whether a word makes a secret of the word key behind it.
func keyOf(w string) bool {
	switch w {
	case "api", "access", "secret", "private", "auth", "encryption", "signing", "session", "account", "subscription", "license", "master":
		return true
	}
	return false
}

// split takes a name apart into its words: at everything that is no letter and no digit, and where a
// capital follows a small letter.
func split(name string) []string {
	var words []string
	var word []rune
	small := false
	flush := func() {
		if len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
	}
	for _, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || small && unicode.IsUpper(r) {
			flush()
		}
		if letter {
			word = append(word, r)
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	flush()
	return words
}
