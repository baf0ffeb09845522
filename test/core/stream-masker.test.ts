import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { createMasker } from '../../lib/core/masker.ts'
import { secretForms } from '../../lib/core/secret-forms.ts'

const SECRETS = [
  ...['sk-planted-1234567890', 'prefix-of-it', 'prefix-of-it-and-more', 'aaaaaaaab', 'abababababac'],
  ...['päss "w<rd>" 😀', '0123456789abcdef0123456789abcdef'],
]
const FORMS = SECRETS.flatMap(secretForms)
const LONGEST = Math.max(...FORMS.map(({ length }) => length))
const masker = createMasker(SECRETS)

/** What is told of a text that comes in these pieces, and the most that was kept back. */
const stream = (pieces: readonly string[]) => {
  const masked = masker.stream()
  let [told, given, most] = ['', '', 0]
  for (const piece of pieces) {
    given += piece
    told += masked.push(piece)
    if (!told.includes('[masked]')) most = Math.max(most, given.length - told.length)
  }
  return { text: told + masked.flush(), most }
}

const cutAt = (text: string, places: readonly number[]): string[] => {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [...sorted, text.length].map((end, n) => text.slice(sorted[n - 1] ?? 0, end))
}

/** Texts of secrets in every writing, of parts of them, and of the characters that they are made of. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...FORMS),
      fc.tuple(fc.constantFrom(...FORMS), fc.nat(), fc.nat()).map(([form, from, length]) => {
        const start = from % form.length
        return form.slice(start, start + 1 + (length % form.length))
      }),
      fc.constantFrom('a', 'ab', 'aa', 'p', 's', ' ', '😀', '\ud83d', '\n'),
      fc.string(),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

/** The first half of a character at the end is held back for its second half. */
const withoutLastHalf = (text: string) => text.replace(/[\ud800-\udbff]$/, '')

const RUNS = { numRuns: 3_000 }

describe('a stream in which a secret may be', () => {
  it('is told without it, however it is cut', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(1_000), { maxLength: 30 }), (text, places) => {
        expect(stream(cutAt(text, places)).text).toBe(masker.text(withoutLastHalf(text)))
      }),
      RUNS,
    )
  })

  it('is told without it character by character', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(stream(text.split('')).text).toBe(masker.text(withoutLastHalf(text)))
      }),
      RUNS,
    )
  })

  it('holds no whole secret though it is flushed anywhere, and keeps nothing back after that', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(1_000), { maxLength: 10 }), (text, places) => {
        const masked = masker.stream()
        const told = cutAt(text, places).map((piece) => masked.push(piece) + masked.flush())
        expect(FORMS.filter((form) => told.join('').includes(form))).toEqual([])
        expect(masked.flush()).toBe('')
      }),
      RUNS,
    )
  })

  it('keeps back no more than may be the beginning of one', () => {
    const masked = masker.stream()
    expect(
      ['Hello ', 'the key is sk-pla', 'net, or sk-', 'planted-123456789', '0.'].map(masked.push),
    ).toEqual([...['Hello ', 'the key is ', 'sk-planet, or ', '', '[masked].']])
    fc.assert(
      fc.property(fc.constantFrom(...FORMS), (form) => {
        const { most } = stream(form.slice(0, -1).split(''))
        expect(most).toBeLessThan(LONGEST)
      }),
    )
  })

  it('is told as it is where no secret is known', () => {
    const masked = createMasker([]).stream()
    expect([masked.push('sk-'), masked.push(''), masked.flush()]).toEqual(['sk-', '', ''])
  })
})
