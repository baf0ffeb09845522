import * as z from 'zod'
import type { Provider } from '../provider.ts'
import { rules } from './rules.ts'

const Acted = z.object({ action: z.string() })

/** GitHub. */
export const codehost: Provider = {
  /** `issues.labeled`: the header names what it is about, the payload what was done. */
  eventOf: (payload, header) => {
    const action = Acted.safeParse(payload).data?.action
    return header === undefined || action === undefined ? header : `${header}.${action}`
  },
  rules,
}
