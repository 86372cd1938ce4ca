package secrets

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"hash/crc32"
	mathrand "math/rand/v2"
	"strings"
	"testing"
)

const (
	base62    = digits + upperLetters + lowerLetters
	base64URL = base62 + "-_"
	hexDigits = digits + "abcdef"
	base32    = upperLetters + "234567"
)

// generator makes the same secrets in each run.
type generator struct{ *mathrand.Rand }

func newGenerator() generator { return generator{mathrand.New(mathrand.NewPCG(1, 2))} }

// random returns n random characters. The secrets of the tests are made when they run,
// because hosting services refuse sources with tokens.
func (g generator) random(n int, characters string) string {
	var b strings.Builder
	for _, c := range g.bytes(n) {
		b.WriteByte(characters[int(c)%len(characters)])
	}
	return b.String()
}

func (g generator) bytes(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(g.Uint32())
	}
	return data
}

// checked returns 30 random characters and their checksum.
func (g generator) checked() string {
	payload := g.random(30, base62)
	sum, end := crc32.ChecksumIEEE([]byte(payload)), ""
	for range 6 {
		end = string(base62[sum%62]) + end
		sum /= 62
	}
	return payload + end
}

// awsSecret returns 40 characters as of a secret access key.
func (g generator) awsSecret() string { return base64.StdEncoding.EncodeToString(g.bytes(30)) }

// keys returns private keys by their format.
func (g generator) keys(t testing.TB) map[string]string {
	t.Helper()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"RSA": encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey), nil)}
	sec1, err := x509.MarshalECPrivateKey(ecKey)
	if err != nil {
		t.Fatal(err)
	}
	out["EC"] = encode("EC PRIVATE KEY", sec1, nil)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(edKey)
	if err != nil {
		t.Fatal(err)
	}
	out["PKCS #8"] = encode("PRIVATE KEY", pkcs8, nil)
	out["OpenSSH"] = encode("OPENSSH PRIVATE KEY", append([]byte("openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none\x00\x00\x00\x00\x00\x00\x00\x01"), g.bytes(220)...), nil)
	out["encrypted"] = encode("RSA PRIVATE KEY", g.bytes(1200), map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00112233445566778899AABBCCDDEEFF"})
	out["encrypted PKCS #8"] = encode("ENCRYPTED PRIVATE KEY", g.bytes(1200), nil)
	out["PGP"] = encode("PGP PRIVATE KEY BLOCK", g.bytes(900), map[string]string{"Version": "GnuPG v2"})
	return out
}

func encode(label string, data []byte, headers map[string]string) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Headers: headers, Bytes: data}))
}

// quoted returns a text as a JSON string.
func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}
