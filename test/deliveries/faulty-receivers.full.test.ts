import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it } from '@jest/globals'
import { onLoopback } from '../../offline/loopback.ts'
import { makeCertificate } from '../fakes/git-host.ts'
import { ask } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'

const ONE_GB = 2 ** 30
const MOST_GROWTH_MB = 100
const PIECE = Buffer.alloc(65_536, 'x')

/** Writes for as long as the other side reads, up to so many bytes. */
const pour = (socket: Socket, bytes: number) => {
  let left = bytes
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= PIECE.length
      if (!socket.write(PIECE)) return
    }
  }
  socket.on('drain', more)
  more()
}

const drip = (socket: Socket, text: string) => {
  const dripping = setInterval(() => socket.write(text), 200)
  socket.once('close', () => clearInterval(dripping))
}

const OK = 'HTTP/1.1 200 OK\r\n'
const noAnswer = (why: RegExp) => ({ error: expect.stringMatching(why) })
const TIME_OUT = /within 15/

type Fault = { answer: (socket: Socket) => void; attempt: object; status?: string; scheme?: 'https' }

/** What a receiver does once it was sent something, and the attempt that is made of it. */
const FAULTS: Record<string, Fault> = {
  hangs: { answer: () => undefined, attempt: noAnswer(TIME_OUT) },
  'drips its headers': {
    answer: (socket) => {
      socket.write(`${OK}x: `)
      drip(socket, 'x')
    },
    attempt: noAnswer(TIME_OUT),
  },
  'drips its body': {
    answer: (socket) => {
      socket.write(`${OK}content-length: 100000\r\n\r\n`)
      drip(socket, 'x')
    },
    attempt: noAnswer(TIME_OUT),
  },
  redirects: {
    answer: (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\n\r\n'),
    attempt: { statusCode: 302, error: expect.stringContaining('not followed') },
  },
  'answers 1 GB': {
    answer: (socket) => {
      socket.write(`${OK}content-length: ${ONE_GB}\r\n\r\n`)
      pour(socket, ONE_GB)
    },
    attempt: { statusCode: 200, responseBody: 'x'.repeat(4_096) },
    status: 'delivered',
  },
  'closes before it answers': { answer: (socket) => socket.end(), attempt: noAnswer(/UND_ERR_SOCKET/) },
  'closes in its answer': {
    answer: (socket) => socket.end(`${OK}content-length: 100\r\n\r\nhalf`),
    attempt: noAnswer(/UND_ERR/),
  },
  resets: { answer: (socket) => socket.resetAndDestroy(), attempt: noAnswer(/ECONNRESET|UND_ERR_SOCKET/) },
  'speaks another protocol': {
    answer: (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    attempt: noAnswer(/not HTTP/),
  },
  'says two lengths': {
    answer: (socket) => socket.end(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nokk`),
    attempt: noAnswer(/LENGTH_MISMATCH|not HTTP/),
  },
  'sends headers without end': {
    answer: (socket) => {
      socket.write(`${OK}x-long: `)
      pour(socket, ONE_GB)
    },
    attempt: noAnswer(/OVERFLOW/),
  },
  'has a certificate that no authority signed': {
    scheme: 'https',
    answer: (socket) => socket.end(`${OK}content-length: 0\r\n\r\n`),
    attempt: noAnswer(/SELF_SIGNED/),
  },
}

const startFaulty = async ({ answer, scheme }: Fault, folder: string) => {
  let requests = 0
  const serve = (socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      requests += 1
      answer(socket)
    })
  }
  const sockets = new Set<Socket>()
  const server =
    scheme === 'https' ? createTlsServer(makeCertificate(folder).tls, serve) : createServer(serve)
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  const closeAllConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  const { port, stop } = await onLoopback(Object.assign(server as Server, { closeAllConnections }) as never)
  return { url: `${scheme ?? 'http'}://127.0.0.1:${port}/hook`, requests: () => requests, stop }
}

/** The most memory that a process ever had. */
const mostMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

type Tested = { delivery: { status: string; attempts: object[] } }

describe('a receiver that', () => {
  it(`${Object.keys(FAULTS).join(', or ')} makes an attempt with its reason in the log, and memory is bounded`, async () => {
    using folder = temporaryFolder()
    using world = scriptedWorld({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' })
    await using service = await startService(world)
    await using receivers = new AsyncDisposableStack()
    const call = <T>(path: string, method: string, body?: object) =>
      ask<T>(`${service.baseUrl}/api/webhooks${path}`, method, body)
    const registeredWebhook = async (url: string) =>
      (await call<{ webhook: { id: string } }>('', 'POST', { url, events: ['task.failed'] })).body.webhook.id
    const faulty = await Promise.all(
      Object.entries(FAULTS).map(async ([name, fault]) => {
        const receiver = await startFaulty(fault, folder.path)
        receivers.defer(receiver.stop)
        return { name, fault, receiver, id: await registeredWebhook(receiver.url) }
      }),
    )
    const before = mostMb(service.pid)
    await Promise.all(faulty.map(({ id }) => call<Tested>(`/${id}/test`, 'POST')))
    const grownMb = mostMb(service.pid) - before

    const logs = await Promise.all(
      faulty.map(async ({ name, id }) => {
        const { body } = await call<{ deliveries: Tested['delivery'][] }>(`/${id}/deliveries`, 'GET')
        return [name, body.deliveries.map(({ status, attempts }) => ({ status, attempts }))]
      }),
    )
    expect(Object.fromEntries(logs)).toEqual(
      Object.fromEntries(
        faulty.map(({ name, fault: { status = 'failed', attempt } }) => [
          name,
          [{ status, attempts: [expect.objectContaining(attempt)] }],
        ]),
      ),
    )
    // Who does not prove who it is hears nothing.
    for (const { fault, receiver } of faulty)
      expect(receiver.requests()).toBe(fault.scheme === 'https' ? 0 : 1)
    expect(grownMb).toBeLessThan(MOST_GROWTH_MB)
    process.stdout.write(`Faulty receivers: ${grownMb.toFixed(0)} MB more at most\n`)
  })
})
