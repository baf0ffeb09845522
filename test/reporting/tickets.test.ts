import { describe, expect, it } from '@jest/globals'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains } from '../fakes/service.ts'
import { type FakeTrackers, startTrackers } from '../fakes/trackers.ts'
import { linkAccount } from './linked.ts'

const tickets: readonly [TrackerName, ticketId: string, title: string, description: string][] = [
  ['codehost', 'codehost:acme/shop#12', 'Checkout counts twice', 'Click Buy twice.'],
  ['trackera', 'trackera:SHOP-7', 'Checkout counts twice', 'Click Buy.'],
  ['trackerb', 'trackerb:ENG-12', 'Search misses umlauts', 'Type ü.'],
]

const start = async (trackers: FakeTrackers) => {
  const service = await startDomains({ background: false, env: trackers.env })
  const call = createCaller(service)
  const { requests } = service.chat.models as unknown as { requests: object[] }
  const smart = async (ticketId: string, as = ANN) => {
    const body = { messages: [{ role: 'user', content: 'What is it about?' }], ticketId }
    const answer = await call('POST /api/chat/smart', { body, as })
    return { ...answer, told: JSON.stringify(requests.at(-1) ?? {}) }
  }
  return Object.assign(service, { smart, requests })
}

describe('a ticket that smart chat is asked of', () => {
  it.each(tickets)(
    'is read from the %s by the account that the caller linked',
    async (name, ticketId, title, description) => {
      await using trackers = await startTrackers()
      for (let n = 1; n <= 25; n++) trackers.write(name, `remark ${n}.`)
      await using service = await start(trackers)
      await linkAccount(service, name, { userId: ANN.userId, scopes: ['read'] })
      const { status, body, told } = await service.smart(ticketId)
      expect({ status, ticketId: body.context?.ticketId }).toEqual({ status: 200, ticketId })
      for (const text of [title, description, 'remark 25.', 'was written elsewhere'])
        expect(told).toContain(text)
      expect(told).not.toContain('CANARY')
      expect((await service.smart(ticketId, BOB)).status).toBe(404)
    },
  )

  it('is the newest task of it where the provider fails or nothing is linked, and is not cut off by what it says', async () => {
    await using trackers = await startTrackers()
    await using service = await start(trackers)
    const { id } = await service.create({ source: 'codehost', sourceId: 'acme/shop#12', prompt: 'Mend it' })
    expect((await service.smart('codehost:acme/shop#12')).body.context.task.id).toBe(id)
    await linkAccount(service, 'codehost', { userId: ANN.userId })
    trackers.added('codehost', 'long '.repeat(100_000))
    expect((await service.smart('codehost:acme/shop#12')).told.length).toBeLessThan(30_000)
    trackers.state.answer = () => ({ status: 502 })
    const { status, told } = await service.smart('codehost:acme/shop#12')
    expect(status).toBe(200)
    expect(told).toContain('Mend it')
    for (const unknown of ['codehost:../..#1', 'codehost:a/b', 'trackera:../1-1', 'nowhere:1', 'trackerb:"}'])
      expect((await service.smart(unknown)).status).toBe(404)
  })
})
