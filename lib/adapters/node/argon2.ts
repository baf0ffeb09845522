import { argon2 as derive, timingSafeEqual } from 'node:crypto'
import { Problem } from '../../core/errors.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Passwords } from '../../ports/passwords.ts'

/** The minimum of OWASP's Password Storage Cheat Sheet for argon2id. */
const DEFAULTS = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32
/** Each hash uses one core, and one of the four threads of libuv's pool that storage syncs its log in. */
const AT_ONCE = 2
/** More callers would wait longer than a person does. */
const MOST_WAITING = 200

type Parameters = { memory: number; passes: number; parallelism: number }
type Parsed = Parameters & { salt: Buffer; tag: Buffer }

/** Argon2id of node:crypto, on its own threads. Hashes are PHC strings: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. */
export const createArgon2 = ({ entropy }: { entropy: Entropy }): Passwords => {
  const inTurn = createTurns(AT_ONCE, MOST_WAITING)
  const derivedTag = (password: string, salt: Buffer, parameters: Parameters, tagLength: number) =>
    inTurn(() => derived(password, salt, parameters, tagLength))

  return {
    hash: async (password) => {
      const salt = entropy(SALT_BYTES)
      return written({ ...DEFAULTS, salt, tag: await derivedTag(password, salt, DEFAULTS, TAG_BYTES) })
    },
    verify: async (password, hash) => {
      const stored = hash === undefined ? undefined : parsedHash(hash)
      const { salt, tag, ...parameters } = stored ?? { ...DEFAULTS, salt: NO_HASH, tag: NO_HASH }
      const actual = await derivedTag(password, salt, parameters, tag.length)
      return timingSafeEqual(actual, tag) && stored !== undefined
    },
  }
}

const NO_HASH = Buffer.alloc(TAG_BYTES)

const derived = (message: string, nonce: Buffer, parameters: Parameters, tagLength: number) =>
  new Promise<Buffer>((resolve, reject) =>
    derive('argon2id', { message, nonce, tagLength, ...parameters }, (err, tag) =>
      err ? reject(err) : resolve(tag),
    ),
  )

/** Base64 without padding, as in PHC strings. */
const b64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const written = ({ memory, passes, parallelism, salt, tag }: Parsed): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${b64(salt)}$${b64(tag)}`

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

const parsedHash = (hash: string): Parsed => {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? []
  if (salt === undefined || tag === undefined) throw new Error('A stored password hash is not argon2id')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** Runs at most `most` at once, the others in order, and refuses calls when too many wait. */
const createTurns = (most: number, mostWaiting: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= mostWaiting)
      throw new Problem('unavailable', 'sign_in_busy', 'Too many people are signing in. Try again', {
        retryAfterMs: 1_000,
      })
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The next waiting caller gets the turn.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
