import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Of a name: its IPv4 addresses; an empty list says that it does not exist. A name that is not listed is never answered. */
type Zone = Readonly<Record<string, readonly string[]>>

const TYPE_A = 1
const NXDOMAIN = 3

const nameIn = (question: Buffer): string => {
  const labels: string[] = []
  for (let at = 12; question.readUInt8(at) > 0; at += question.readUInt8(at) + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question.readUInt8(at)))
  return labels.join('.')
}

/** RFC 1035, section 4: the question comes back, then its answers, whose names point to it. */
const answerTo = (question: Buffer, name: string, addresses: readonly string[]): Buffer => {
  const end = 12 + name.length + 2
  const isAboutFour = question.readUInt16BE(end) === TYPE_A
  const records = (isAboutFour ? addresses : []).map((address) =>
    Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180 + (addresses.length > 0 ? 0 : NXDOMAIN), 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, question.subarray(12, end + 4), ...records])
}

/** A name server on loopback. */
export const startNameServer = async (zone: Zone) => {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, { port, address }) => {
    const name = nameIn(question)
    asked.push(name)
    const addresses = zone[name]
    if (addresses !== undefined) socket.send(answerTo(question, name, addresses), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    asked,
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
