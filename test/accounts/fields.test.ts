import { describe, expect, it } from '@jest/globals'
import {
  AvatarUrlSchema,
  EmailSchema,
  emailKey,
  GivenPassword,
  LocaleSchema,
  NameSchema,
  NewPassword,
} from '../../lib/accounts/fields.ts'
import { TimezoneSchema } from '../../lib/core/timezone.ts'

type Schema = { safeParse(value: unknown): { success: boolean } }
const long = (length: number, end = '') => 'a'.repeat(length - end.length) + end

const accepted: [what: string, schema: Schema, value: string][] = [
  ['an address', EmailSchema, 'ann@example.com'],
  ['an address in capitals', EmailSchema, 'ANN+x@Sub.Example.COM'],
  ['an address of 255 characters', EmailSchema, long(255, '@example.com')],
  ...['o&m', 'a!b', 'x=y', 'a/b', "o'hara'", '#$%*?^_`{|}~', 'a..b'].map((name): [string, Schema, string] => [
    `an address of ${name}`,
    EmailSchema,
    `${name}@example.com`,
  ]),
  ['an address of this machine', EmailSchema, 'joe@localhost'],
  ['a password of 8 characters', NewPassword, 'abcdefg1'],
  ['a password of 1024 bytes', NewPassword, long(1_024, '1')],
  ['a password of Greek letters and Arabic numbers', NewPassword, 'κωδικός٣'],
  ['a password of 802 bytes in more letters and marks', NewPassword, `${'\u03b9\u0308\u0301'.repeat(400)}a1`],
  ['the same to compare', GivenPassword, `${'\u03b9\u0308\u0301'.repeat(400)}a1`],
  ['a name of 100 characters', NameSchema, long(100)],
  ['a name in any script', NameSchema, '山田 太郎'],
  ['a name of one character', NameSchema, '王'],
  ['a name with a joiner between its letters', NameSchema, 'می\u200cخواهم'],
  ['a name of a face', NameSchema, '\u{1f468}\u200d\u{1f4bb}'],
  ['an https URL', AvatarUrlSchema, 'https://example.com/a.png?b=c'],
  ['an https URL of 500 characters', AvatarUrlSchema, `https://example.com/${'a'.repeat(480)}`],
  ['a time zone', TimezoneSchema, 'America/Argentina/Buenos_Aires'],
  ['UTC', TimezoneSchema, 'UTC'],
  ['a language', LocaleSchema, 'de'],
  ['a language with script, region and extension', LocaleSchema, 'zh-Hant-TW-u-ca-roc'],
]

const refused: [what: string, schema: Schema, value: unknown][] = [
  ['a password with the line break of a file', NewPassword, 'correct horse 1\n'],
  ['a password with a tab', NewPassword, 'correct\thorse 1'],
  ['an address without a domain', EmailSchema, 'ann@'],
  ['an address without a name', EmailSchema, '@example.com'],
  ['an address with a space', EmailSchema, 'ann b@example.com'],
  ['an address with space around', EmailSchema, ' ann@example.com '],
  ['a name with space around', NameSchema, '\u3000Ann\u00a0'],
  ['an address with a line break', EmailSchema, 'ann@example.com\nbcc:x@example.com'],
  ['an address of 256 characters', EmailSchema, long(256, '@example.com')],
  ['an address with a comma', EmailSchema, 'ann,bob@example.com'],
  ['an address in angle brackets', EmailSchema, '<ann@example.com>'],
  ['an address with quotes', EmailSchema, '"ann"@example.com'],
  ['an address with a domain of 64 letters', EmailSchema, `ann@${long(64)}.com`],
  ['an address with a domain that ends in a hyphen', EmailSchema, 'ann@example-.com'],
  ['a dotless i', EmailSchema, 'adm\u0131n@example.com'],
  ['a dotted capital I', EmailSchema, 'ADM\u0130N@example.com'],
  ['a Kelvin sign', EmailSchema, '\u212Aim@example.com'],
  ['full-width letters', EmailSchema, '\uff41nn@example.com'],
  ['a password of 7 characters', NewPassword, 'abcdef1'],
  ['a password of 7 characters that were typed as 13', NewPassword, `${'a\u0308'.repeat(6)}1`],
  ['a password without a number', NewPassword, 'abcdefgh'],
  ['a password without a letter', NewPassword, '12345678'],
  ['a password of 1025 bytes', NewPassword, long(1_025, '1')],
  ['a password of 1025 bytes in fewer characters', NewPassword, `${'ä'.repeat(512)}1`],
  ['a password that is a number', NewPassword, 1234567890],
  ['an empty name', NameSchema, '   '],
  ['a name of spaces of all widths', NameSchema, '\u00a0\u2003\u3000\u2028'],
  ['a name of zero width', NameSchema, '\u200b\u200d\u2060\ufeff'],
  ['a name of a soft hyphen', NameSchema, '\u00ad'],
  ['a name of Hangul fillers', NameSchema, '\u3164\u115f\uffa0'],
  ['a name of a blank of Braille', NameSchema, '\u2800'],
  ['a name of marks on nothing', NameSchema, '\u0301\ufe0f'],
  ['a name of tags', NameSchema, '\u{e0041}\u{e0042}'],
  ['a name with NUL', NameSchema, 'Ann\0'],
  ['a name in two lines', NameSchema, 'Ann\nBcc: bob'],
  ['a name in two paragraphs', NameSchema, 'Ann\u2029Bob'],
  ['a name that turns what follows it around', NameSchema, 'Ann\u202e'],
  ['a name with an escape', NameSchema, 'Ann\u001b[2J'],
  ['a name with a control of C1', NameSchema, 'Ann\u009b2J'],
  ['a name of a private character', NameSchema, '\ue000'],
  ['a name of 101 characters', NameSchema, long(101)],
  ['an http URL', AvatarUrlSchema, 'http://example.com/a.png'],
  ['a script', AvatarUrlSchema, 'javascript:alert(1)'],
  ['an https URL without slashes', AvatarUrlSchema, 'https:example.com'],
  ['an https URL without a host', AvatarUrlSchema, 'https://'],
  ['an https URL of 501 characters', AvatarUrlSchema, `https://example.com/${'a'.repeat(481)}`],
  ['an offset', TimezoneSchema, '+01:00'],
  ['an unknown time zone', TimezoneSchema, 'Europe/Atlantis'],
  ['an empty time zone', TimezoneSchema, ''],
  ['a locale of POSIX', LocaleSchema, 'de_DE.UTF-8'],
  ['an empty locale', LocaleSchema, ''],
]

describe('the fields of an account', () => {
  it.each(accepted)('take %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(true)
  })

  it.each(refused)('refuse %s', (_what, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false)
  })

  it('compare addresses without case and without space around', () => {
    expect(emailKey(' ANN@Example.com ')).toBe(emailKey('ann@example.COM'))
  })

  it('take a password for the same however its letters were made', () => {
    expect(NewPassword.parse('Schl\u00fcssel1')).toBe(NewPassword.parse('Schlu\u0308ssel1'))
  })
})
