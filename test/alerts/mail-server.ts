import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** Reads a body in quoted-printable (RFC 2045, section 6.7). */
const unquoted = (body: string) =>
  Buffer.from(
    body
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([\dA-F]{2})/g, (_all, byte: string) => String.fromCharCode(Number.parseInt(byte, 16))),
    'latin1',
  ).toString()

/** A mail server on loopback. `mails` has each message as it was sent, with its receivers; `code` refuses them. */
export const startMailServer = async () => {
  const mails: { to: string[]; head: string; body: string }[] = []
  const state = { code: 0 }
  const came = new EventEmitter()
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onRcptTo: (_address, _session, done) =>
      done(state.code === 0 ? null : Object.assign(new Error('Not taken'), { responseCode: state.code })),
    onData: (stream, { envelope }, done) => {
      void text(stream).then((message) => {
        const [head = '', ...body] = message.split('\r\n\r\n')
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          head,
          body: unquoted(body.join('\r\n\r\n')),
        })
        came.emit('mail')
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  /** Resolves once so many have come. */
  const received = async (count: number) => {
    while (mails.length < count) await once(came, 'mail')
  }
  return Object.assign(state, {
    mails,
    received,
    url: `smtp://127.0.0.1:${port}`,
    stop,
    [Symbol.asyncDispose]: stop,
  })
}
