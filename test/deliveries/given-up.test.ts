import { describe, expect, it } from '@jest/globals'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { DELAYS_MS, openDeliveries, sample } from './opened.ts'

const toTheEnd = async ({ clock, tick }: ReturnType<typeof openDeliveries>) => {
  for (const delayMs of DELAYS_MS) {
    clock.advance(delayMs)
    await tick()
  }
}

describe('a delivery that is given up', () => {
  it('is in the log once, with the host and the last status, and nothing else of the address', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end('broken'))
    await using opened = openDeliveries()
    const url = `${receiver.url}?token=secret`
    await opened.add({ url })
    expect(opened.log.entries).toEqual([])
    await toTheEnd(opened)
    const { deliveryId, ...fields } = opened.log.entries[0]?.fields ?? {}
    expect(opened.log.entries).toEqual([
      expect.objectContaining({ level: 'warn', message: 'a delivery was given up' }),
    ])
    expect(deliveryId).toBe(sample.id)
    expect(fields).toEqual({
      owner: sample.owner,
      event: sample.event,
      host: new URL(url).host,
      attempts: 6,
      statusCode: 500,
    })
  })

  it('says the reason where there was no answer', async () => {
    await using opened = openDeliveries()
    await opened.add({ url: 'http://127.0.0.1:9/hook?token=secret' })
    await toTheEnd(opened)
    expect(opened.log.entries.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({
        host: '127.0.0.1:9',
        attempts: 6,
        reason: expect.stringMatching(/No response/),
      }),
    ])
    expect(JSON.stringify(opened.log.entries)).not.toContain('secret')
  })

  it('is in the log when the receiver says that it is gone', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(410).end())
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    expect(opened.log.entries).toEqual([
      expect.objectContaining({ fields: expect.objectContaining({ attempts: 1, statusCode: 410 }) }),
    ])
  })

  it('is one that failed: what arrives in the end is not in the log', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    await using opened = openDeliveries()
    await opened.add({ url: receiver.url })
    receiver.answer = (response) => response.writeHead(204).end()
    await toTheEnd(opened)
    expect(receiver.heard).toHaveLength(2)
    expect(opened.log.entries).toEqual([])
  })
})
