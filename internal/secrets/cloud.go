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
	none := match{start: -nearKey - 1, end: -nearKey - 1}
	id, secret := none, none // the last ones
	for start, end := range runs(text, base64Chars) {
		value := text[start:end]
		found := none
		switch {
		case len(value) == 20 && (value[:4] == "AKIA" || value[:4] == "ASIA") && upper.has(value):
			if id = (match{start: start, end: end}); start-secret.end <= nearKey {
				found = secret
			}
		case len(value) == 40 && isMixed(value) && !continues(text[end:]):
			secret = match{start, end, "AWS secret key"}
			if start-id.end <= nearKey || isAWSName(nameBefore(text, start)) {
				found = secret
			}
		case isAzureKey(value, text[end:]):
			if isAzureName(nameBefore(text, start)) {
				found = match{start, end, "Azure key"}
			}
		}
		if found == none {
			continue
		}
		secret = none
		if value := text[found.start:found.end]; entropy(value) >= 4 && !isPlaceholder(value) && !strings.HasPrefix(value, emulatorKey) && !add(found) {
			return
		}
	}
}

// isMixed reports whether a text has upper-case and lower-case letters and digits, which a
// hash in hexadecimal digits and a long word do not.
func isMixed(text string) bool {
	return strings.ContainsAny(text, digits) && strings.ContainsAny(text, upperLetters) && strings.ContainsAny(text, lowerLetters)
}

// isAzureKey reports whether a value before a text is 64 or 32 bytes in Base64.
func isAzureKey(value, after string) bool {
	return len(value) == 86 && strings.HasPrefix(after, "==") || len(value) == 43 && strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==")
}

// continues reports whether a text continues a longer value.
func continues(after string) bool {
	return after != "" && (word[after[0]] || after[0] == '=')
}

// nameBefore returns what is before a value on its line, at most nameLength bytes.
func nameBefore(text string, at int) string {
	before := text[max(0, at-nameLength):at]
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// isAWSName reports whether a name such as aws_secret_access_key is in a text.
func isAWSName(text string) bool {
	if !strings.Contains(text, "ecret") && !strings.Contains(text, "SECRET") {
		return false
	}
	text = strings.ToLower(text)
	return strings.Contains(text, "aws") || strings.Contains(text, "access")
}

// isAzureName reports whether a name such as AccountKey is in a text.
func isAzureName(text string) bool {
	text = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(text), "_", ""), "-", "")
	return strings.Contains(text, "accountkey") || strings.Contains(text, "storagekey") || strings.Contains(text, "accesskey")
}
