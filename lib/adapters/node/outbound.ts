import type { Client } from 'undici'
import { decodedText } from '../../core/cut-text.ts'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../ports/outbound.ts'
import { checkedTarget, createOutboundCheck, deadline, type OutboundNeeds } from './outbound-check.ts'
import { traceHeaders } from './tracing.ts'

const TIMEOUT_MS = 15_000
const MOST_BYTES = 65_536

/** Loaded at the first request to save memory: many services never send one. */
const load = async () => {
  const [{ Client }, { createGuardedConnect }] = await Promise.all([
    import('undici'),
    import('./outbound-connect.ts'),
  ])
  return { Client, createGuardedConnect }
}

/** Outgoing requests by undici. Throws Problem `bad_setting` for an invalid `allow`. */
export const createOutbound = (needs: OutboundNeeds): Outbound => {
  const { clock } = needs
  const { check, resolve, allowed } = createOutboundCheck(needs)

  const send = async (request: OutboundRequest): Promise<OutboundAnswer> => {
    const { timeoutMs = TIMEOUT_MS } = request
    const target = checkedTarget(request.url)
    const { Client, createGuardedConnect } = await load()
    const until = deadline(clock, timeoutMs)
    const connect = createGuardedConnect({ allowed, resolve, timeoutMs })
    // Its own client: requests share neither sockets nor sessions.
    const client = new Client(target.origin, { connect, pipelining: 0, headersTimeout: 0, bodyTimeout: 0 })
    try {
      return await Promise.race([exchange(client, target, request), until.over])
    } catch (thrown) {
      request.signal?.throwIfAborted()
      throw thrown instanceof Problem ? thrown : failed(thrown)
    } finally {
      until.cancel()
      void client.destroy().catch(() => undefined)
    }
  }

  return { check, send }
}

const exchange = async (client: Client, { pathname, search }: URL, request: OutboundRequest) => {
  const { method, headers = {}, body, mostBytes = MOST_BYTES, signal } = request
  const answer = await client.request({
    method,
    path: pathname + search,
    headers: { ...traceHeaders(), ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    reset: true,
  })
  // The rest of the body is dropped with the connection, which only the stream reports as an error.
  answer.body.on('error', () => undefined)
  const plain = plainHeaders(answer.headers)
  return {
    status: answer.statusCode,
    headers: plain,
    ...(await answerContent(answer.body, plain['content-encoding'], mostBytes)),
  }
}

type Content = Pick<OutboundAnswer, 'body' | 'bytes' | 'truncated' | 'undecoded'>

const answerContent = async (
  body: AsyncIterable<Buffer>,
  coding: string | undefined,
  most: number,
): Promise<Content> => {
  try {
    const { withoutCodings } = await import('./content-coding.ts')
    const { bytes, truncated } = await readUpTo(withoutCodings(piecesUpTo(body, most), coding), most)
    return { body: decodedText(bytes, truncated), bytes, truncated }
  } catch (thrown) {
    if (!(Object(thrown) as { isUndecoded?: boolean }).isUndecoded) throw thrown
    return { body: '', bytes: new Uint8Array(), truncated: false, undecoded: errorMessage(thrown) }
  }
}

/** Compressed text is larger than the text by less. */
const OVERHEAD_BYTES = 65_536

/** The pieces of a body up to a limit: what is read is limited, not only what is decoded of it. */
async function* piecesUpTo(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of body) {
    yield piece
    size += piece.length
    if (size > most + OVERHEAD_BYTES) return
  }
}

const readUpTo = async (body: AsyncIterable<Buffer>, most: number) => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), truncated: size > most }
}

const plainHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

/** The system's error code; its message may name addresses. */
const failed = (thrown: unknown) => {
  const { code, name } = Object(thrown) as { code?: unknown; name?: unknown }
  const unnamed = name === 'HTTPParserError' ? 'the response is not HTTP' : 'unknown error'
  const word = typeof code === 'string' ? code : unnamed
  return new Problem('unavailable', 'outbound_failed', `No response (${word})`, { cause: thrown })
}
