import * as z from 'zod'
import type { Actor } from '../core/principal.ts'

export const AuthModeSchema = z.enum(['local', 'cloud', 'oidc'])
export type AuthMode = z.output<typeof AuthModeSchema>

export const RoleSchema = z.enum(['user', 'admin'])

/** A new session. This is the only place of its token: storage has none. */
export type OpenedSession = { token: string; sessionId: string; expiresAt: number }

type Browser = { isSecure: boolean; userAgent?: string }

/**
 * Begins a session in a browser: returns the headers of the answer with its cookie. When `confirm`, which is called after
 * the session was opened, rejects, the session ends and the call rejects.
 */
export type GrantSession = (
  userId: string,
  browser: Browser,
  confirm?: () => Promise<void>,
) => Promise<Readonly<Record<string, string>>>

/** Ends the sessions of a user except `except`, and with `devices` those of devices, which user `by` unpairs. */
export type EndSessions = (
  userId: string,
  which: { devices?: { by: Actor }; except?: string | undefined },
) => Promise<void>

export type AccountStatus = { role: z.output<typeof RoleSchema>; disabled: boolean }

export const SessionSchema = z.object({
  id: z.string(),
  createdAt: z.string(),
  lastSeenAt: z.string().describe('Last use, accurate to a minute'),
  userAgent: z.string().optional(),
  deviceId: z.string().optional().describe('Paired device, which is unpaired when the session is revoked'),
  current: z.boolean().describe('Whether this request uses the session'),
})
export type Session = z.output<typeof SessionSchema>

export type Attempt =
  | 'login'
  | 'signup'
  | 'verifyAccessKey'
  | 'changePassword'
  | 'resetPassword'
  | 'phoneLink'

/** Counts an attempt by address and account. Throws Problem `rate_limited` when either exceeds its limit. */
export type CountAttempt = (of: Attempt, from: { address?: string; account?: string }) => Promise<void>
