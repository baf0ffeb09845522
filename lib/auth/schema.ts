import * as z from 'zod'
import type { Actor } from '../core/principal.ts'

export const AuthModeSchema = z.enum(['local', 'cloud', 'oidc'])
export type AuthMode = z.output<typeof AuthModeSchema>

export const RoleSchema = z.enum(['user', 'admin'])

/** A session as it is handed out once: the token is nowhere stored. */
export type OpenedSession = { token: string; sessionId: string; expiresAt: number }

/** Whom a session is given to: over https or not, and what it calls itself. */
type Browser = { isSecure: boolean; userAgent?: string }

/**
 * Begins a session in a browser: the headers of the answer that give it the cookie. Where `confirm` rejects, asked once the
 * session is open, it ends again and so does the call.
 */
export type GrantSession = (
  userId: string,
  browser: Browser,
  confirm?: () => Promise<void>,
) => Promise<Readonly<Record<string, string>>>

/** Ends the sessions of a user but for `except`, and with `devices` those of devices: they are unpaired `by` a user. */
export type EndSessions = (
  userId: string,
  which: { devices?: { by: Actor }; except?: string },
) => Promise<void>

/** What decides whether a session may still be used. */
export type AccountStatus = { role: z.output<typeof RoleSchema>; disabled: boolean }

/** A session as its user sees it. `deviceId` is there when a paired device holds it, which its end unpairs. */
export const SessionSchema = z.object({
  id: z.string(),
  createdAt: z.string(),
  /** To within a minute. */
  lastSeenAt: z.string(),
  userAgent: z.string().optional(),
  deviceId: z.string().optional(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
})
export type Session = z.output<typeof SessionSchema>

/** What is counted, so that attempts are limited. */
export type Attempt = 'login' | 'signup' | 'verifyAccessKey' | 'changePassword' | 'resetPassword'

/**
 * Counts an attempt from an address, and of an account where one is named. Throws Problem `rate_limited` when either
 * is over the limit.
 */
export type CountAttempt = (of: Attempt, from: { address?: string; account?: string }) => Promise<void>
