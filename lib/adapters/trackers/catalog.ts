import type { Clock } from '../../ports/clock.ts'
import type { ProviderFetch } from '../../ports/provider-fetch.ts'
import type { TrackerName, Trackers } from '../../ports/tracker.ts'
import { createCodehost } from './codehost.ts'
import { createApi } from './request.ts'
import { createTrackera } from './trackera.ts'
import { createTrackerb } from './trackerb.ts'

type Needs = { fetch: ProviderFetch; clock: Clock; apiUrls: Readonly<Record<TrackerName, string>> }

/** Every tracker, at the operator's address. */
export const createTrackers = ({ fetch, clock, apiUrls }: Needs): Trackers => {
  const apiAt = (name: TrackerName) => createApi({ fetch, clock, apiUrl: apiUrls[name] })
  return {
    codehost: createCodehost(apiAt('codehost')),
    trackera: createTrackera(apiAt('trackera')),
    trackerb: createTrackerb(apiAt('trackerb')),
  }
}
