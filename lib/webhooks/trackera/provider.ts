import * as z from 'zod'
import type { Provider } from '../provider.ts'
import { rules } from './rules.ts'

const Named = z.object({ webhookEvent: z.string() })

/** Jira. */
export const trackera: Provider = {
  eventOf: (payload) => Named.safeParse(payload).data?.webhookEvent,
  rules,
}
