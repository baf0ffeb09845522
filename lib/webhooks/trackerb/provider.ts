import * as z from 'zod'
import type { Provider } from '../provider.ts'
import { rules } from './rules.ts'

const Acted = z.object({ type: z.string(), action: z.string() })

/** Linear. */
export const trackerb: Provider = {
  /** `Issue.update` */
  eventOf: (payload) => {
    const { data } = Acted.safeParse(payload)
    return data && `${data.type}.${data.action}`
  },
  rules,
}
