import fc from 'fast-check'
import type { Route } from '../../lib/http/route.ts'

/** How the ids begin that stand in a path. */
const BEGINNINGS: readonly (readonly [path: string, id: RegExp])[] = [
  ['/api/tasks/', /^task_/],
  ['/api/threads/', /^task_/],
  ['/api/dlq/', /^dlq_/],
  ['/api/holds/', /^hold_/],
  ['/api/failures/', /^[0-9a-f]{16}$/],
  ['/api/bulk/', /^bulk_/],
  ['/api/notifications/', /^ntf_/],
  ['/api/tokens/', /^tok_/],
  ['/api/users/', /^user_/],
  ['/api/auth/invites/', /^inv_/],
  ['/api/auth/sessions/', /^session_/],
  ['/api/devices/paired/', /^pairing_/],
  ['/api/devices/pairing/status/', /^svc_pairing_/],
  ['/api/gateway/', /^gw_/],
  ['/api/chat/conversations/', /^conv_/],
  ['/api/chat/sessions/', /^sess_/],
  ['/api/memory/files/', /\.md$/],
  ['/api/memory/chunks/', /^chk_/],
  ['/api/memory/sessions/', /^mem_/],
  ['/api/memory/experiences/', /^exp_/],
  ['/api/webhooks/', /^whk_/],
  ['/api/schedules/', /^sched_/],
  ['/api/security/approvals/', /^apv_/],
  ['/api/security/allowed-tools/', /^apv_/],
  ['/api/security/audit/', /^tca_/],
  ['/api/runners/', /^rnr_/],
  ['/api/alerts/subscriptions/', /^psh_/],
  ['/api/auth/phone/', /^phone_/],
  // A stored key would replace the demo model by a provider that nobody reaches from here.
  ['/api/model-keys/', /^no-provider$/],
]

/** Mostly an id that fits the path: there are many of other things, and few requests for each route. */
export const pathId = ({ path }: Route, known: readonly string[], text: fc.Arbitrary<string>) => {
  const beginning = BEGINNINGS.find(([start]) => path.startsWith(start))?.[1]
  const fitting = known.filter((one) => beginning?.test(one))
  if (path.includes('{') && fitting.length === 0) throw new Error(`There is no id for ${path}`)
  const fits = fitting.length === 0 ? text : fc.constantFrom(...fitting)
  return fc.oneof(
    { weight: 3, arbitrary: fits },
    { weight: 1, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: text },
  )
}
