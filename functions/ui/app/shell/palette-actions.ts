import { useNavigate } from '@tanstack/react-router'
import {
  CalendarPlus,
  KeyRound,
  Link2,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Sun,
  UserPlus,
} from 'lucide-react'
import { useMe } from '../data/me.ts'
import { useAuthMode, useNeedsSignIn } from '../data/session.ts'
import { copyLink } from './copy-link.ts'
import { focusLater } from './focus-later.ts'
import { writtenKey } from './key-table.ts'
import { accounts, isOffered } from './nav.ts'
import { openCreate } from './overlay.ts'
import { useSignOut } from './sign-out.ts'
import { chooseTheme, theme } from './theme.ts'

export type PaletteEntry = {
  id: string
  label: string
  /** All of the label has to be read: it is not cut. */
  isWhole?: true
  icon: LucideIcon
  /** What else it is searched by. */
  words?: string | undefined
  /** The key that does the same outside of the palette. */
  shortcut?: string | undefined
  /** Why it does not work now. */
  reason?: string | undefined
  act: () => unknown
}

const themes = ['dark', 'light', 'system'] as const
const themeIcons = { dark: Moon, light: Sun, system: Monitor } as const

/** What can be done from anywhere. */
export const useActions = (): readonly PaletteEntry[] => {
  const navigate = useNavigate()
  const role = useMe()?.role
  const mode = useAuthMode()
  const needsSignIn = useNeedsSignIn()
  const signOut = useSignOut()
  const current = theme.use()
  const toForm = (href: string, field: string) => () => {
    void navigate({ href })
    focusLater(`main form[aria-label="${field}"] input`)
  }
  const invite: PaletteEntry = {
    id: 'invite',
    label: 'Invite a person',
    icon: UserPlus,
    words: 'create user account',
    act: toForm('/settings/invites', 'New invite'),
  }
  const leave: PaletteEntry = {
    id: 'sign-out',
    label: 'Sign out',
    icon: LogOut,
    words: 'log logout leave',
    act: signOut.leave,
  }
  return [
    {
      id: 'task',
      label: 'Create task',
      icon: Plus,
      words: 'new',
      shortcut: writtenKey('create'),
      act: openCreate,
    },
    {
      id: 'schedule',
      label: 'Create schedule',
      icon: CalendarPlus,
      words: 'new cron',
      act: () => navigate({ href: '/schedules?schedule=new' }),
    },
    {
      id: 'token',
      label: 'Create token',
      icon: KeyRound,
      words: 'new api key',
      act: toForm('/settings/tokens?token=new', 'New token'),
    },
    ...(isOffered(accounts, role, mode) ? [invite] : []),
    {
      id: 'link',
      label: 'Copy link to this page',
      icon: Link2,
      words: 'address url',
      act: () => copyLink(location.href),
    },
    ...themes
      .filter((name) => name !== current)
      .map((name) => ({
        id: `theme-${name}`,
        label: `Theme: ${name}`,
        icon: themeIcons[name],
        words: 'change colours mode',
        act: () => chooseTheme(name),
      })),
    ...(needsSignIn ? [leave] : []),
  ]
}
