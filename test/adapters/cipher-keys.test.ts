import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { KEY_FILE, keysOfFile } from '../../lib/adapters/node/cipher-keys.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { temporaryFolder } from '../journeys/service.ts'

const REFUSED = { name: 'Problem', kind: 'unavailable', code: 'key_file_refused' }

describe('the key file', () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
  })
  afterEach(() => folder[Symbol.dispose]())

  const file = () => folder.in(KEY_FILE)
  const cipher = () => createCipher({ keys: keysOfFile({ folder: folder.path, entropy }), entropy })
  const written = (text: string, mode = 0o600) => {
    writeFileSync(file(), text)
    chmodSync(file(), mode)
  }
  const line = (key: Buffer) => `${key.toString('base64')}\n`

  it('is made when it is first needed, for its owner only, and nothing is left beside it', async () => {
    const made = cipher()
    expect(readdirSync(folder.path)).toEqual([])
    await made.seal('a secret', 'here')
    expect(readdirSync(folder.path)).toEqual([KEY_FILE])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(Buffer.from(readFileSync(file(), 'utf8'), 'base64')).toHaveLength(32)
  })

  it('seals with its first key and opens with every one', async () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    written(line(old))
    const before = await cipher().seal('old', 'here')
    written(line(fresh) + line(old))
    const after = await cipher().seal('fresh', 'here')
    expect([await cipher().open(before, 'here'), await cipher().open(after, 'here')]).toEqual([
      'old',
      'fresh',
    ])
    written(line(fresh))
    await expect(cipher().open(before, 'here')).rejects.toMatchObject({ code: 'sealed_text_unreadable' })
    expect(await cipher().open(after, 'here')).toBe('fresh')
  })

  it.each([0o640, 0o604, 0o660, 0o666, 0o622, 0o601])('is refused with mode %o', async (mode) => {
    written(line(randomBytes(32)), mode)
    await expect(cipher().seal('a secret', 'here')).rejects.toMatchObject(REFUSED)
  })

  it.each([
    ['empty', ''],
    ['too short', 'c2hvcnQ=\n'],
    ['half a key', `${line(randomBytes(32))}c2hvcnQ=\n`],
    ['something else', 'not a key at all, of no 32 bytes whatever'],
  ])('is refused when it is %s', async (_what, text) => {
    written(text)
    await expect(cipher().seal('a secret', 'here')).rejects.toMatchObject(REFUSED)
    expect(readFileSync(file(), 'utf8')).toBe(text)
  })

  it('is refused when it is a link to another', async () => {
    writeFileSync(folder.in('elsewhere'), line(randomBytes(32)), { mode: 0o600 })
    symlinkSync(folder.in('elsewhere'), file())
    await expect(cipher().seal('a secret', 'here')).rejects.toMatchObject(REFUSED)
  })

  it('is read again after it was refused', async () => {
    written(line(randomBytes(32)), 0o644)
    const one = cipher()
    await expect(one.seal('a secret', 'here')).rejects.toMatchObject(REFUSED)
    chmodSync(file(), 0o600)
    expect(await one.open(await one.seal('a secret', 'here'), 'here')).toBe('a secret')
  })

  it('is one, when another process makes it at the same moment', async () => {
    const faster = cipher()
    let theirs: string | undefined
    // Whoever is about to make the file has seen that there is none, and asks for random bytes next.
    const overtaken = (bytes: number) => {
      if (theirs === undefined) {
        theirs = ''
        faster.seal('a secret', 'here').then((sealed) => {
          theirs = sealed
        })
      }
      return entropy(bytes)
    }
    const slower = createCipher({
      keys: keysOfFile({ folder: folder.path, entropy: overtaken }),
      entropy,
    })
    const ours = await slower.seal('another', 'here')
    expect(await faster.open(ours, 'here')).toBe('another')
    expect(await slower.open(theirs ?? '', 'here')).toBe('a secret')
    expect(readdirSync(folder.path)).toEqual([KEY_FILE])
  })
})
