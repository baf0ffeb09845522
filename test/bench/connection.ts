import { connect } from 'node:net'
import { takeReply } from './reply.ts'

export type Reply = { status: number; text: string }
export type Connection = {
  /** One request at a time; `text` of the reply is read as latin1, one character per byte. */
  ask(method: 'GET' | 'POST', path: string, body?: string): Promise<Reply>
  close(): void
}

/**
 * A keep-alive HTTP/1.1 connection that does next to nothing per request: driver and driven share two cores, and
 * every cycle spent here would flatter the slower side.
 */
export const openConnection = (port: number): Promise<Connection> =>
  new Promise((opened, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = ''
    let waiting: { done: (reply: Reply) => void; fail: (error: Error) => void } | undefined
    const lose = (error: Error) => {
      failed(error)
      waiting?.fail(error)
      waiting = undefined
    }
    socket.setEncoding('latin1')
    socket.on('error', lose)
    socket.on('close', () => lose(new Error(`127.0.0.1:${port} closed the connection`)))
    socket.on('data', (chunk: string) => {
      received = received === '' ? chunk : received + chunk
      const taken = takeReply(received)
      if (!taken) return
      received = received.slice(taken.length)
      const { done } = waiting ?? {}
      waiting = undefined
      done?.(taken.reply)
    })
    const ask: Connection['ask'] = (method, path, body) =>
      new Promise((done, fail) => {
        waiting = { done, fail }
        socket.write(head(port, method, path, body) + (body ?? ''))
      })
    socket.once('connect', () => opened({ ask, close: () => socket.destroy() }))
  })

const head = (port: number, method: string, path: string, body: string | undefined): string => {
  const line = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
  if (body === undefined) return `${line}\r\n`
  return `${line}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
}
