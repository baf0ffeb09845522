import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { bytesIn } from '../../lib/core/sealed.ts'
import type { Cipher } from '../../lib/ports/cipher.ts'
import { withOpened } from './test-of.ts'

/** `another` has other keys than every cipher that `open` gives, and ciphers that `open` gives have the same. */
export type OpenCiphers = () => Promise<{ open: () => Cipher; another: Cipher; close?: () => Promise<void> }>

const CONTEXT = 'connections/user_1/codehost'
const SEALS = 2_000

/** What every cipher must do. */
export const cipherContract = (name: string, start: OpenCiphers) =>
  describe(`the cipher of ${name}`, () => {
    const using = (check: (ciphers: Awaited<ReturnType<OpenCiphers>>) => Promise<void>) =>
      withOpened(start, check)()

    it('opens what it sealed, in another process too, whatever the text and the context', () =>
      using(async ({ open }) => {
        const [here, there] = [open(), open()]
        const anyText = fc.string({ unit: 'grapheme', maxLength: 200 })
        await fc.assert(
          fc.asyncProperty(anyText, anyText, async (text, context) => {
            const sealed = await here.seal(text, context)
            expect(await there.open(sealed, context)).toBe(text.toWellFormed())
          }),
          { numRuns: 200 },
        )
      }))

    it('names its scheme and its key in front, and shows nothing of the text', () =>
      using(async ({ open }) => {
        const sealed = await open().seal('gho_canary', CONTEXT)
        expect(sealed).toMatch(/^v1(\.[\w-]+)+\.[\w-]+$/)
        expect(sealed).not.toContain('canary')
        expect(bytesIn(sealedBody(sealed)).toString('latin1')).not.toContain('canary')
      }))

    it('opens nothing in another context', () =>
      using(async ({ open }) => {
        const cipher = open()
        const sealed = await cipher.seal('a secret', CONTEXT)
        for (const context of ['', 'connections/user_2/codehost', `${CONTEXT} `, CONTEXT.toUpperCase()])
          await expect(cipher.open(sealed, context)).rejects.toMatchObject(UNREADABLE)
      }))

    it('opens nothing of which a single bit was changed', () =>
      using(async ({ open }) => {
        const cipher = open()
        // Of three lengths in a row, one or two end in characters of base64 that have bits to spare.
        for (const [text, last] of [['a secret'], ['a secret.', 4], ['a secret..', 4]] as const)
          for (const changed of flippedBits(await cipher.seal(text, CONTEXT), last))
            await expect(cipher.open(changed, CONTEXT)).rejects.toMatchObject(UNREADABLE)
      }))

    it.each([
      '',
      '.',
      'v1',
      'v1.',
      'v1..',
      'v1.abc.def',
      'a secret',
      'v2.x.y',
      'v1.kms..',
      'v1.kms.AA.AA.AA',
    ])('opens nothing that it never sealed: %j', (text) =>
      using(async ({ open }) => {
        await expect(open().open(text, CONTEXT)).rejects.toMatchObject(UNREADABLE)
      }),
    )

    it('opens nothing that was sealed with a key it does not have', () =>
      using(async ({ open, another }) => {
        const sealed = await another.seal('a secret', CONTEXT)
        await expect(open().open(sealed, CONTEXT)).rejects.toMatchObject(UNREADABLE)
      }))

    it(`never uses a nonce twice: ${SEALS} seals of one text differ in theirs`, () =>
      using(async ({ open }) => {
        const cipher = open()
        const nonces = new Set<string>()
        for (let made = 0; made < SEALS; made++)
          nonces.add(sealedBody(await cipher.seal('a secret', CONTEXT)).slice(0, NONCE_CHARACTERS))
        expect(nonces.size).toBe(SEALS)
      }))
  })

const UNREADABLE = { name: 'Problem', kind: 'unavailable', code: 'sealed_text_unreadable' }
/** 96 bits in base64url. */
const NONCE_CHARACTERS = 16

const sealedBody = (sealed: string) => sealed.slice(sealed.lastIndexOf('.') + 1)

/** The text with one bit flipped, for each bit of its last characters, or of all. */
function* flippedBits(text: string, last = text.length) {
  const bytes = Buffer.from(text, 'latin1')
  for (let at = bytes.length - last; at < bytes.length; at++)
    for (let bit = 1; bit < 256; bit *= 2) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ bit
      yield changed.toString('latin1')
    }
}
