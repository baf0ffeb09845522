import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createTrackers } from '../../lib/adapters/trackers/catalog.ts'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { ISSUES, refusals, startTrackers, TOKEN } from '../fakes/trackers.ts'
import { trackerContract } from './tracker.ts'

const issues: Readonly<Record<TrackerName, { title: string; description: string }>> = {
  codehost: { title: 'Checkout counts twice', description: 'Click Buy twice.' },
  trackera: { title: 'Checkout counts twice', description: 'Click Buy.' },
  trackerb: { title: 'Search misses umlauts', description: 'Type ü.' },
}

for (const [name, issue] of Object.entries(issues) as [TrackerName, (typeof issues)[TrackerName]][])
  trackerContract(name, async () => {
    const trackers = await startTrackers()
    const clock = createFakeClock()
    const { state, comments } = trackers
    const adapters = createTrackers({ fetch: createProviderFetch(), clock, apiUrls: trackers.apiUrls })
    const silence = Promise.withResolvers<void>()
    return {
      tracker: adapters[name],
      asked: {
        as: { token: TOKEN, username: state.login, cloudId: 'cloud-1' },
        issue: ISSUES[name],
        timeoutMs: 30_000,
      },
      issue: { ...issue, said: () => trackers.said(name) },
      write: (text) => void trackers.write(name, text, { author: 'bob' }),
      forget: () => void comments[name].splice(0),
      refuse: (kind, words) => {
        state.answer = () => refusals(clock.now(), words)[kind][name]
      },
      fail: (how) => {
        if (how === 'silence') state.after = () => silence.promise
        else state.answer = () => ({ status: 200, body: { nothing: 'of this' } })
      },
      close: async () => {
        silence.resolve()
        await trackers[Symbol.asyncDispose]()
      },
    }
  })
