package secrets

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// sample is a text with the secrets that it has.
type sample struct {
	name, text string
	want       []string // lines and kinds, as in "3 private key"
}

func (s sample) check(t *testing.T) bool {
	t.Helper()
	var got []string
	for _, f := range find(s.name, s.text) {
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.What))
	}
	return strings.Join(got, "; ") == strings.Join(s.want, "; ")
}

func TestSecretsAreFound(t *testing.T) {
	g := newGenerator()
	pems := g.keys(t)
	aws := "AKIA" + g.random(16, base32)
	slack := func(kind string, end string) string {
		return kind + "-" + g.random(12, digits) + "-" + g.random(13, digits) + "-" + end
	}
	openAI := "sk-proj-" + g.random(58, base64URL) + "T3" + "BlbkFJ" + g.random(58, base64URL)
	azure := base64.StdEncoding.EncodeToString(g.bytes(64))
	samples := map[string]sample{
		"RSA key":                      {"id_rsa", pems["RSA"], []string{"1 private key"}},
		"EC key":                       {"", "here it is:\n\n" + pems["EC"], []string{"3 private key"}},
		"PKCS #8 key":                  {"", pems["PKCS #8"], []string{"1 private key"}},
		"OpenSSH key":                  {"", pems["OpenSSH"], []string{"1 private key"}},
		"encrypted key":                {"", pems["encrypted"], []string{"1 private key"}},
		"encrypted PKCS #8 key":        {"", pems["encrypted PKCS #8"], []string{"1 private key"}},
		"PGP key":                      {"", pems["PGP"], []string{"1 private key"}},
		"key with CR and LF":           {"", strings.ReplaceAll(pems["RSA"], "\n", "\r\n"), []string{"1 private key"}},
		"key in YAML":                  {"", "tls.key: |\n  " + strings.ReplaceAll(pems["RSA"], "\n", "\n  "), []string{"2 private key"}},
		"key in a Go string":           {"", "const key = \"" + strings.ReplaceAll(pems["EC"], "\n", "\\n\" +\n\t\""), []string{"1 private key"}},
		"key on one line":              {"", strings.ReplaceAll(pems["RSA"], "\n", " "), []string{"1 private key"}},
		"key in a reply with quotes":   {"", "> " + strings.ReplaceAll(pems["OpenSSH"], "\n", "\n> "), []string{"1 private key"}},
		"beginning of a key":           {"", pems["RSA"][:400], []string{"1 private key"}},
		"service account":              {"sa.json", "{\n \"type\": \"service_account\",\n \"private_key\": " + quoted(pems["PKCS #8"]) + "\n}", []string{"3 private key"}},
		"service account in a string":  {"", quoted("{\"private_key\": " + quoted(pems["RSA"]) + "}"), []string{"1 private key"}},
		"PuTTY key":                    {"k.ppk", "PuTTY-User-Key-" + "File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\nAA\nBB\nPrivate-Lines: 1\nAAAA\n", []string{"1 private key"}},
		"age key":                      {"", "AGE-SECRET-" + "KEY-1" + g.random(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), []string{"1 private key"}},
		"AWS credentials":              {"credentials", "[default]\naws_access_key_id = " + aws + "\naws_secret_access_key = " + g.awsSecret() + "\n", []string{"3 AWS secret key"}},
		"AWS environment":              {"", "export AWS_SECRET_ACCESS_KEY='" + g.awsSecret() + "'", []string{"1 AWS secret key"}},
		"AWS session":                  {"", "{\"SecretAccessKey\": \"" + g.awsSecret() + "\",\n\"AccessKeyId\": \"ASIA" + g.random(16, base32) + "\"}", []string{"1 AWS secret key"}},
		"AWS rows":                     {"keys.csv", "id,secret\n" + aws + "," + g.awsSecret() + "\n", []string{"2 AWS secret key"}},
		"GitHub personal token":        {"", "git clone https://x:ghp" + "_" + g.checked() + "@github.com/a/b", []string{"1 GitHub token"}},
		"GitHub tokens":                {"", "gho" + "_" + g.checked() + "\nghu" + "_" + g.checked() + "\nghs" + "_" + g.checked(), []string{"1 GitHub token", "2 GitHub token", "3 GitHub token"}},
		"GitHub installation as a JWT": {"", "ghs" + "_" + g.random(7, digits) + "_eyJ" + g.random(200, base64URL) + "." + g.random(200, base64URL), []string{"1 GitHub token"}},
		"GitHub fine-grained token":    {"", "GH_TOKEN=github" + "_pat_" + g.random(22, base62) + "_" + g.random(59, base62), []string{"1 GitHub token"}},
		"GitLab token":                 {"", "PRIVATE-TOKEN: glpat" + "-" + g.random(20, base62), []string{"1 GitLab token"}},
		"GitLab routable token":        {"", "glpat" + "-" + g.random(36, base62) + ".01.0w" + g.random(7, base62), []string{"1 GitLab token"}},
		"Slack bot token":              {"", slack("xox"+"b", g.random(24, base62)), []string{"1 Slack token"}},
		"Slack user token":             {"", slack("xox"+"p", g.random(13, digits)+"-"+g.random(32, hexDigits)), []string{"1 Slack token"}},
		"Stripe keys":                  {"", "sk" + "_live_" + g.random(24, base62) + "\nrk" + "_live_" + g.random(99, base62), []string{"1 Stripe key", "2 Stripe key"}},
		"Google key":                   {"", "https://maps.example.com/js?key=AI" + "za" + g.random(35, base64URL) + "&v=3", []string{"1 Google API key"}},
		"Azure connection string":      {"", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + azure + ";EndpointSuffix=core.windows.net", []string{"1 Azure key"}},
		"npm token":                    {".npmrc", "//registry.npmjs.org/:_authToken=npm" + "_" + g.checked(), []string{"1 npm token"}},
		"PyPI token":                   {".pypirc", "[pypi]\nusername = __token__\npassword = py" + "pi-AgEIcHlwaS5vcmc" + g.random(150, base64URL), []string{"3 PyPI token"}},
		"OpenAI key":                   {"", "OPENAI_API_KEY=" + openAI, []string{"1 OpenAI key"}},
		"Anthropic key in JSON":        {"", `{"cmd":"set\nsk-` + `ant-api03-` + g.random(93, base64URL) + `AA"}`, []string{"1 Anthropic key"}},
		"Hugging Face and Groq":        {"", "hf" + "_" + g.random(34, upperLetters+lowerLetters) + " gs" + "k_" + g.random(52, base62), []string{"1 Hugging Face token", "1 Groq key"}},
		"token of hobnob serve":        {"", "Authorization: Bearer hob" + "nob_" + g.random(64, hexDigits), []string{"1 token of hobnob serve"}},
		".env":                         {"app/.env", "# app\nDEBUG=1\nexport DB_PASSWORD='" + g.random(12, base62) + "'\nSESSION_SECRET=" + g.random(20, base62) + " # rotate\n", []string{"3 value of DB_PASSWORD", "4 value of SESSION_SECRET"}},
		".env of a stage":              {`C:\app\.env.production`, "PORT=80\r\nSMTP_PASS=" + g.random(9, base62) + "\r\nSENTRY_AUTH_TOKEN=" + g.random(40, hexDigits) + "\r\n", []string{"2 value of SMTP_PASS", "3 value of SENTRY_AUTH_TOKEN"}},
		"pasted .env":                  {"", "why does this fail?\n\nPORT=80\nDB_PASSWORD=hunter22\n\nI have no idea\nAPI_KEY=c2f1d09be1a7", []string{"4 value of DB_PASSWORD"}},
		"another .env":                 {"deploy.env", "GITHUB_TOKEN=ghp" + "_" + g.checked() + "\nAPI_KEY=" + g.random(32, hexDigits), []string{"1 GitHub token", "2 value of API_KEY"}},
	}
	if len(samples) < 40 {
		t.Fatalf("%d samples", len(samples))
	}
	for name, s := range samples {
		if !s.check(t) {
			t.Errorf("%s: found %v, want %v", name, find(s.name, s.text), s.want)
		}
	}
}

func TestOrdinaryTextHasNoSecrets(t *testing.T) {
	g := newGenerator()
	sri := func() string { return base64.StdEncoding.EncodeToString(g.bytes(64)) }
	sha1 := func() string { return g.random(40, hexDigits) }
	samples := map[string]sample{
		"AWS keys of the manual":      {"", "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", nil},
		"AWS ID alone":                {"", "user AKIA" + g.random(16, base32) + " was denied s3:GetObject", nil},
		"AWS ID and a commit":         {"", "AKIA" + g.random(16, base32) + " " + sha1(), nil},
		"GitHub token of the manual":  {"", "curl -H 'Authorization: token ghp_16C7e42F292c6912E7710c838347Ae178B4a'", nil},
		"GitHub placeholder":          {"", "GITHUB_TOKEN=ghp_" + strings.Repeat("x", 36) + " ghp_your_token_here", nil},
		"GitHub wrong checksum":       {"", "ghp_" + g.random(36, hexDigits), nil},
		"GitLab placeholder":          {"", "glpat-<your_access_token> glpat-xxxxxxxxxxxxxxxxxxxx glpat-12345678901234567890", nil},
		"Slack placeholder":           {"", "xoxb-your-token xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx", nil},
		"Stripe test key":             {"", "sk_test_" + g.random(24, base62), nil},
		"Stripe placeholder":          {"", "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx sk_live_YOUR_KEY", nil},
		"OpenAI placeholder":          {"", "OPENAI_API_KEY=sk-... sk-proj-xxxx sk-xxxxxxxxxxxxxxxxxxxxT3BlbkFJxxxxxxxxxxxxxxxxxxxx", nil},
		"Anthropic placeholder":       {"", "export ANTHROPIC_API_KEY=\"sk-ant-api03-...\" sk-ant-your-key-here", nil},
		"Google placeholder":          {"", "key=AIza... key=AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX", nil},
		"npm placeholder":             {".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n//r/:_authToken=npm_000000000000000000000000000000000000", nil},
		"key of the Azure emulator":   {"", "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;", nil},
		"Azure placeholder":           {"", "AccountKey=<account-key>;SharedAccessKey=" + strings.Repeat("a", 43) + "=", nil},
		"UUIDs":                       {"", "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f\nsk-0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f", nil},
		"commits":                     {"", "commit " + sha1() + "\nAuthor: a\n    Revert \"" + sha1() + "\" (aws secret access)\n", nil},
		"diff":                        {"", "diff --git a/x b/x\nindex " + g.random(40, hexDigits) + ".." + g.random(40, hexDigits) + " 100644\n", nil},
		"image":                       {"", "<img src=\"data:image/png;base64,iVBORw0KGgo" + g.random(4000, base62+"+/") + "==\">", nil},
		"minified JavaScript":         {"app.min.js", "!function(e,t){var n=e.AKIA,r=t.secretAccessKey;function o(){return n?r.sk_live_:t.ghp_}" + strings.Repeat("var a0=function(b,c){return b.xoxb-c.glpat-b};", 50) + "}(this);", nil},
		"package-lock.json":           {"package-lock.json", "\"node_modules/aws-secret-access-key\": {\"resolved\": \"https://r/aws-sdk.tgz\",\n\"integrity\": \"sha512-" + sri() + "\"}", nil},
		"yarn.lock":                   {"yarn.lock", "storage-key@^1.0.0:\n  resolved \"https://r/x.tgz#" + sha1() + "\"\n  integrity sha512-" + sri(), nil},
		"go.sum":                      {"go.sum", "github.com/aws/aws-sdk-go v1.55.5 h1:" + base64.StdEncoding.EncodeToString(g.bytes(32)), nil},
		"Cargo.lock":                  {"Cargo.lock", "name = \"secrecy\"\nchecksum = \"" + g.random(64, hexDigits) + "\"", nil},
		"poetry.lock":                 {"poetry.lock", "{file = \"pypi-AgEIcHlwaS5vcmc.whl\", hash = \"sha256:" + g.random(64, hexDigits) + "\"}", nil},
		"public key":                  {"id.pub", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5" + g.random(48, base62) + " me@host", nil},
		"public key in PEM":           {"", encode("PUBLIC KEY", g.bytes(300), nil) + encode("PGP PUBLIC KEY BLOCK", g.bytes(300), nil), nil},
		"certificate":                 {"ca.pem", encode("CERTIFICATE", g.bytes(900), nil) + encode("CERTIFICATE REQUEST", g.bytes(500), nil), nil},
		"signature":                   {"", encode("PGP SIGNATURE", g.bytes(300), nil), nil},
		".env.example":                {".env.example", "DB_PASSWORD=" + g.random(12, base62) + "\nSECRET_KEY=" + g.random(32, hexDigits), nil},
		".env with placeholders":      {".env", "DB_PASSWORD=changeme\nAPI_KEY=\nSECRET=<secret>\nTOKEN=${CI_TOKEN}\nA_KEY=your-key\nMY_TOKEN=$(pass show x)\nB_KEY=/etc/ssl/key.pem\nC_SECRET=********\nD_TOKEN=xxxxxxxxxx\nROOT_PASSWORD=password", nil},
		".env with settings":          {".env", "PORT=8080\nNEXT_PUBLIC_API_KEY=" + g.random(32, hexDigits) + "\nSTRIPE_PUBLISHABLE_KEY=pk_live_" + g.random(24, base62) + "\nTOKEN_TTL=3600000\nKEYBOARD=colemak-dh", nil},
		"settings without .env":       {"settings.py", "PASSWORD = os.environ['DB_PASSWORD']\nAPI_KEY = get_secret('stripe')\nSECRET_KEY_LENGTH = 32\n", nil},
		"test fixtures":               {"client_test.go", "const token = \"test-token\"\nreq.Header.Set(\"Authorization\", \"Bearer fake-token-for-tests\")\n{\"ghp_invalid\", false},\n{\"glpat-short\", false}", nil},
		"regular expressions":         {"rules.toml", "'''(?:ghu|ghs)_[0-9a-zA-Z]{36}'''\n'''\\b((?:AKIA|ASIA)[A-Z2-7]{16})\\b'''\n'''xox[baprs]-([0-9a-zA-Z]{10,48})?'''\n'''-----BEGIN ((EC|PGP|DSA|RSA|OPENSSH) )?PRIVATE KEY( BLOCK)?-----'''", nil},
		"document about keys":         {"README.md", "A key begins with `-----BEGIN PRIVATE KEY-----` and ends with `-----END PRIVATE KEY-----`. A line that begins with -----BEGIN RSA PRIVATE KEY----- is the header, followed by the key in Base64 without further explanation here.", nil},
		"key in an example":           {"", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA...\n-----END RSA PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----\n-----BEGIN OPENSSH PRIVATE KEY-----\n" + strings.Repeat("X", 64) + "\n-----END OPENSSH PRIVATE KEY-----", nil},
		"key for tests in Go sources": {"", encode("RSA TESTING KEY", g.bytes(900), nil), nil},
		"code that reads keys":        {"", "if !strings.HasPrefix(s, \"-----BEGIN OPENSSH PRIVATE KEY-----\\n\") {\n\treturn errors.New(\"no key\")\n}\nheader := \"PuTTY-User-Key-File-2: ssh-rsa\"", nil},
		"identifiers":                 {"", "skipLibCheckAndTypeCheckingOptionsForProjectReferences hf_hub_download dapi_client AIzawa sk-loading-indicator-with-a-very-long-class-name-in-css", nil},
	}
	if len(samples) < 40 {
		t.Fatalf("%d samples", len(samples))
	}
	found := 0
	for name, s := range samples {
		if !s.check(t) {
			found++
			t.Errorf("%s: found %v", name, find(s.name, s.text))
		}
	}
	t.Logf("%d of %d samples have findings", found, len(samples))
}
