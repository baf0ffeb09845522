import { describe, expect, it } from '@jest/globals'
import { eventsIn } from './agentic-events.ts'
import { connect } from './client.ts'
import { openedService } from './opened-service.ts'

const service = openedService()

type Seen = ReturnType<typeof eventsIn>

/** Reads the live stream until `isEnough`, and leaves it. `begun` is called once the service has said that it has begun. */
const readLive = async (after: string, isEnough: (seen: Seen) => boolean, begun?: () => Promise<unknown>) => {
  const leaving = new AbortController()
  const headers = after === '' ? {} : { 'last-event-id': after }
  const answer = await fetch(`${service().baseUrl}/api/events/stream`, { headers, signal: leaving.signal })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const decoder = new TextDecoder()
  let text = ''
  let isBegun = begun === undefined
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (!isBegun && eventsIn(text).length > 0) {
      isBegun = true
      await begun?.()
    }
    if (isEnough(eventsIn(text))) break
  }
  leaving.abort()
  return eventsIn(text)
}

const hasEnded = (title: string) => (seen: Seen) =>
  seen.some(
    ({ type, data }) => type.startsWith('task.') && data.title === title && data.status === 'completed',
  )

describe('the live stream', () => {
  it('follows a task from its creation to its end, and goes on from the last event of a reader that comes back', async () => {
    const { create } = connect(service().baseUrl)
    const seen = await readLive('', hasEnded('Watched'), () => create({ title: 'Watched' }))
    const types = seen.map(({ type }) => type)
    expect(types[0]).toBe('ready')
    expect(types).toContain('queue.updated')
    expect(types).toContain('progress.updated')
    expect(types.some((type) => type === 'task.created')).toBe(true)
    expect(seen.map(({ id }) => id)).toEqual([...new Set(seen.map(({ id }) => id))])
    await create({ title: 'Meanwhile' })
    const rest = await readLive(seen.at(-1)?.id ?? '', hasEnded('Meanwhile'))
    expect(rest.map(({ type }) => type)).not.toContain('ready')
    expect(hasEnded('Watched')(rest)).toBe(false)
    const [reset] = await readLive('evt_01J00000000000000000000000', (events) => events.length > 0)
    expect(reset).toMatchObject({ type: 'reset', data: {} })
  })
})
