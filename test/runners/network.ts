import { type ClientRequest, createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { onLoopback } from '../../offline/loopback.ts'

/** How a request fails: it does not arrive, it takes effect and its answer is cut off, or it takes effect and is never answered. */
export type Fate = 'unsent' | 'unanswered' | 'lost'

type Hear = {
  /** Hears of a request before it is passed on, and says how it fails, if it does. */
  asked?: (path: string) => Fate | undefined
  /** Hears of an answer before it is passed on. */
  answered?: (path: string, status: number) => void
}

/** The network between runners and their service, which can be cut and delayed. `target` is where the service is, while it is up. */
export const openNetwork = async (target: () => string | undefined, hear: Hear = {}) => {
  const exchanges = new Set<() => void>()
  let isCut = false
  let held: PromiseWithResolvers<void> | undefined

  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    let forwarded: ClientRequest | undefined
    const cut = () => {
      response.destroy()
      forwarded?.destroy()
    }
    exchanges.add(cut)
    response.once('close', () => {
      exchanges.delete(cut)
      forwarded?.destroy()
    })
    const body = await buffer(incoming).catch(() => undefined)
    await held?.promise
    const to = target()
    if (body === undefined || to === undefined || isCut) return cut()
    const fate = hear.asked?.(path)
    if (fate === 'unsent') return cut()
    forwarded = request(new URL(path, to), { method, headers }, async (answer) => {
      const answerBody = await buffer(answer).catch(() => undefined)
      if (fate === 'lost') return
      await held?.promise
      hear.answered?.(path, answer.statusCode ?? 0)
      if (answerBody === undefined || fate === 'unanswered' || isCut) return cut()
      response.writeHead(answer.statusCode ?? 500, answer.headers).end(answerBody)
    })
    forwarded.on('error', cut)
    forwarded.end(body)
  })
  const { url, stop } = await onLoopback(server)

  return {
    url,
    /** Breaks all connections, and refuses new ones. */
    cut: () => {
      isCut = true
      for (const cut of [...exchanges]) cut()
    },
    /** Delays all requests and answers. */
    hold: () => {
      held ??= Promise.withResolvers<void>()
    },
    /** Ends `cut` and `hold`. */
    mend: () => {
      isCut = false
      held?.resolve()
      held = undefined
    },
    async [Symbol.asyncDispose]() {
      held?.resolve()
      for (const cut of [...exchanges]) cut()
      await stop()
    },
  }
}
export type Network = Awaited<ReturnType<typeof openNetwork>>
