import { useMe } from '../data/me.ts'
import { useAuthMode } from '../data/session.ts'
import { destinations, isOffered, menu } from './nav.ts'

/** Whether a name, or what else the row is called, has words that begin with each of the typed ones. */
export const fits = (
  { label, words = '' }: { label: string; words?: string | undefined },
  typed: string,
): boolean => {
  const own = `${label} ${words}`.toLowerCase().split(/[\s:,-]+/)
  const asked = typed.toLowerCase().split(/\s+/)
  return asked.every((word) => own.some((one) => one.startsWith(word)))
}

type Place = Pick<(typeof destinations)[number], 'to' | 'label' | 'icon'> & {
  words?: string | undefined
  shortcut?: string | undefined
}

/** What else the sections of settings are searched by. */
const WORDS: Readonly<Record<string, string>> = {
  '/settings/profile': 'name time zone budget',
  '/settings/sessions': 'password sessions linked accounts',
  '/settings/messages': 'notifications push alerts',
  '/settings/tokens': 'keys',
  '/settings/devices': 'pair phone qr code',
  '/settings/integrations': 'github jira linear web search',
  '/settings/models': 'providers keys anthropic openai',
  '/settings/webhooks': 'events deliveries',
  '/settings/security': 'mode tools policy approvals',
  '/settings/audit': 'record changes',
  '/settings/users': 'people accounts roles',
  '/settings/invites': 'people accounts',
  '/settings/installation': 'settings limits budgets queue',
  '/settings/health': 'status metrics endpoints',
}

/** Until something is typed the places of the menu, then all views and the sections of settings that this user has. */
export const usePlaces = (typed: string): readonly Place[] => {
  const role = useMe()?.role
  const mode = useAuthMode()
  const asked: readonly (typeof destinations)[number][] = typed === '' ? menu : destinations
  return asked
    .filter((one) => isOffered(one, role, mode))
    .map(({ to, label, icon, key }) => ({ to, label, icon, words: WORDS[to], shortcut: key && `g ${key}` }))
    .filter((one) => typed === '' || fits(one, typed))
}
