import { describe, expect, it } from '@jest/globals'
import { createOpenStream } from '../../lib/http/event-stream.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { ANN } from '../fakes/service.ts'

async function* onePiece() {
  yield 'piece'
}

describe('the slot of a stream', () => {
  it.each([
    ['before the stream began', (leaving: AbortController) => leaving.abort(), () => undefined],
    ['while the stream began', () => undefined, (leaving: AbortController) => leaving.abort()],
  ])('is free when its reader left %s', async (_when, before, meanwhile) => {
    let open = 0
    const openStreams = async () => {
      open += 1
      return async () => {
        open -= 1
      }
    }
    const openStream = createOpenStream({ clock: createFakeClock(), openStreams })
    const leaving = new AbortController()
    before(leaving)
    await openStream({ principal: ANN, gone: () => leaving.signal }, async () => {
      meanwhile(leaving)
      return onePiece()
    })
    expect(open).toBe(0)
  })
})
