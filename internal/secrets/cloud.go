package secrets

import "strings"

const (
	// nearKey is the maximum distance in bytes of an AWS secret from its access key ID.
	nearKey = 300
	// nameLength is the maximum distance in bytes of a value from its name.
	nameLength = 48
	// emulatorKey is the documented key of the emulator of Azure Storage, see
	// https://learn.microsoft.com/azure/storage/common/storage-use-azurite.
	emulatorKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"
)

// findCloudKeys adds secrets that have no prefix and are known by their length and by
// what is near them:
//
//   - AWS: 40 characters of Base64, with an access key ID (AKIA for users, ASIA for
//     sessions) or a name such as aws_secret_access_key, see
//     https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html.
//     An ID alone is no secret.
//   - Azure: AccountKey or SharedAccessKey with 64 or 32 bytes in Base64, see
//     https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string.
func findCloudKeys(text string, add func(match) bool) {
	id, secret := -nearKey-1, match{end: -nearKey - 1}
	for start, end := range runs(text, base64Chars) {
		value := text[start:end]
		found := match{}
		switch {
		case isAWSKeyID(value):
			if id = start; start-secret.end <= nearKey {
				found, secret.end = secret, -nearKey-1
			}
		case isAWSSecret(value, text[end:]):
			secret = match{start, end, "AWS secret key"}
			if name := nameBefore(text, start); start-id <= nearKey || strings.Contains(name, "secret") && (strings.Contains(name, "aws") || strings.Contains(name, "access")) {
				found, secret.end = secret, -nearKey-1
			}
		case isAzureKey(value, text[end:]):
			if name := nameBefore(text, start); strings.Contains(name, "accountkey") || strings.Contains(name, "storagekey") || strings.Contains(name, "accesskey") {
				found = match{start, end, "Azure key"}
			}
		}
		if found.what != "" && !add(found) {
			return
		}
	}
}

func isAWSKeyID(value string) bool {
	return len(value) == 20 && (value[:4] == "AKIA" || value[:4] == "ASIA") && upper.has(value) && !isPlaceholder(value[4:])
}

// isAWSSecret reports whether a value before a text may be a secret access key. A hash in
// hexadecimal digits and a word of 40 letters are none.
func isAWSSecret(value, after string) bool {
	return len(value) == 40 && !continues(after) && strings.ContainsAny(value, digits) && strings.ContainsAny(value, upperLetters) &&
		strings.ContainsAny(value, lowerLetters) && entropy(value) >= 4 && !isPlaceholder(value)
}

func isAzureKey(value, after string) bool {
	long := len(value) == 86 && strings.HasPrefix(after, "==")
	short := len(value) == 43 && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==")
	return (long || short) && entropy(value) >= 4 && !isPlaceholder(value) && !strings.HasPrefix(value, emulatorKey)
}

// continues reports whether a text continues a longer value.
func continues(after string) bool {
	return after != "" && (word[after[0]] || after[0] == '=')
}

// nameBefore returns what is before a value on its line, at most nameLength bytes, in
// lower case and without "_" and "-".
func nameBefore(text string, at int) string {
	before := text[max(0, at-nameLength):at]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(before))
}
