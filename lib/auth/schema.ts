import * as z from 'zod'
import type { Actor } from '../core/principal.ts'

export const AuthModeSchema = z.enum(['local', 'cloud', 'oidc'])
export type AuthMode = z.output<typeof AuthModeSchema>

export const RoleSchema = z.enum(['user', 'admin'])

/** A session as it is handed out once: the token is nowhere stored. */
export type OpenedSession = { token: string; sessionId: string; expiresAt: number }

/** Begins a session of a user, with a token that nobody had before. */
export type OpenSession = (userId: string) => Promise<OpenedSession>

/** Begins a session in a browser: the headers of the answer that give it the cookie. */
export type GrantSession = (userId: string, isSecure: boolean) => Promise<Readonly<Record<string, string>>>

/** Ends the sessions of a user but for `except`, and with `devices` those of devices: they are unpaired `by` somebody. */
export type EndSessions = (
  userId: string,
  which: { devices?: { by: Actor }; except?: string },
) => Promise<void>

/** What decides whether somebody may still use a session. */
export type Standing = { role: z.output<typeof RoleSchema>; disabled: boolean }

/** What is counted so that nobody can try without end. */
export type Attempt = 'login' | 'signup' | 'verifyAccessKey'

/**
 * Counts an attempt from an address, and of an account where one is named. Throws Problem `rate_limited` when either
 * is over the limit.
 */
export type CountAttempt = (of: Attempt, from: { address: string; account?: string }) => Promise<void>
