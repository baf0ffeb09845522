import { pipeline, Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { cutText } from '../../core/cut-text.ts'

type Bytes = AsyncIterable<Buffer>

/** 8 MiB, the window that every decoder supports (RFC 8878, section 3.1.1.1.2); a larger one would take its memory here. */
const zstd = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const isZlib = ([first = 0, second = 0]: Buffer): boolean =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0

/** The decoders of content codings (RFC 9110, section 8.4.1), chosen by the first bytes of a body. */
const decoders: Readonly<Record<string, (first: Buffer) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Some servers send raw deflate data, without the zlib format that the name means.
  deflate: (first) => (isZlib(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(zstd),
}

const MOST_CODINGS = 2

/** The error of a body whose content coding is unknown or does not fit its bytes. */
const undecoded = (message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { isUndecoded: true })

const codingsIn = (contentEncoding: string): string[] =>
  contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')

/** The bytes of a body, decoded as they are read. Throws an Error with `isUndecoded` where that is impossible. */
export const withoutCodings = (body: Bytes, contentEncoding = ''): Bytes => {
  const codings = codingsIn(contentEncoding)
  if (codings.length > MOST_CODINGS || codings.some((coding) => !Object.hasOwn(decoders, coding)))
    throw undecoded(`its content coding is ${JSON.stringify(cutText(contentEncoding, 100))}`)
  return codings.reduceRight(decodedBy, body)
}

async function* decodedBy(body: Bytes, coding: string): Bytes {
  const pieces = body[Symbol.asyncIterator]()
  const { value: first } = await pieces.next()
  if (first === undefined) return
  async function* all() {
    yield first
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  const decoder = decoders[coding]?.(first) as Transform
  // Errors of the body and of the decoder come out of the iteration.
  pipeline(Readable.from(all(), { objectMode: false }), decoder, () => undefined)
  let isBegun = false
  try {
    for await (const piece of decoder as Bytes) {
      isBegun = true
      yield piece
    }
  } catch (thrown) {
    const { code } = Object(thrown) as { code?: string }
    if (!/^(?:Z_|ERR_|ZSTD_)/.test(String(code))) throw thrown
    // The body ended before its time: what came of it is used, as browsers do.
    if (!(isBegun && code === 'Z_BUF_ERROR'))
      throw undecoded(`its content is not ${coding}, as its header says`, thrown)
  }
}
