import { Problem } from '../../core/errors.ts'
import type { ProviderFetch } from '../../ports/provider-fetch.ts'
import { tracedFetch } from './tracing.ts'

type Limits = { timeoutMs?: number; mostBytes?: number }

/** Uses Node's fetch. The time limit includes the last byte of the answer, so a slow body ends too. */
export const createProviderFetch =
  ({ timeoutMs = 10_000, mostBytes = 1_048_576 }: Limits = {}): ProviderFetch =>
  async (url, { method = 'GET', headers = {}, body, timeoutMs: mostMs = timeoutMs } = {}) => {
    const signal = AbortSignal.timeout(Math.min(mostMs, timeoutMs))
    try {
      const answer = await tracedFetch(url, {
        method,
        headers,
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body }),
      })
      const bytes = await answerBytes(answer, mostBytes)
      const { status, headers: answered } = answer
      return new Response(bytes.length > 0 ? bytes : null, { status, headers: answered })
    } catch (cause) {
      throw new Problem(
        'unavailable',
        'provider_unreachable',
        'The provider did not respond. Try again later',
        { cause },
      )
    }
  }

const answerBytes = async ({ body }: Response, mostBytes: number) => {
  const pieces: Uint8Array[] = []
  let leftBytes = mostBytes
  for await (const piece of body ?? []) {
    leftBytes -= piece.length
    // Leaving the loop closes the connection.
    if (leftBytes < 0) throw new Error(`more than ${mostBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
