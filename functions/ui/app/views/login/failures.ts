import type { Failure } from '../../../../../lib/oauth/schema.ts'

/** Why sign-in or linking by a provider failed. */
export const failures: Readonly<Record<Failure, string>> = {
  access_denied: 'You did not allow access. Try again to allow it.',
  invalid_state:
    'This sign-in started in another browser, took longer than ten minutes, or was already used. Try again.',
  invalid_code: 'The response of the provider was already used or expired. Try again.',
  session_changed: 'Your session changed while you linked the account. Sign in and link it again.',
  account_taken:
    'That account is linked to another user here. Use another one, or ask an admin to unlink it.',
  account_exists:
    'An account with your email address already exists. Sign in to it as usual, and link this one in its settings.',
  email_not_usable:
    'The email address of that account cannot be used here. Change it there, or use another account.',
  email_not_verified: 'The email address of that account is not verified. Verify it there and try again.',
  registration_closed: 'You have no account here, and registration is closed. Ask an admin.',
  invite_required: 'You have no account here yet. Enter an invite code from an admin and try again.',
  invalid_invite:
    'The invite code is wrong, used, expired or for another address. Ask an admin for a new one.',
  sign_in_refused: 'This account is disabled. Ask an admin to enable it.',
  sign_in_not_offered: 'This sign-in method is not available. Use one of those below.',
  oauth_not_configured: 'This provider is not configured. Use another one, or ask an admin.',
  provider_unreachable: 'The provider did not respond. Try again in a moment.',
  oauth_failed: 'Sign-in with the provider failed. Try again. The service log has the reason.',
}

const isFailure = (reason: string): reason is Failure => Object.hasOwn(failures, reason)

/** The address may hold anything; only known reasons are shown. */
export const failureText = (reason: string | undefined): string | undefined => {
  if (reason === undefined) return undefined
  return isFailure(reason) ? failures[reason] : failures.oauth_failed
}

export const wantsInvite = (reason: string | undefined) =>
  reason === 'invite_required' || reason === 'invalid_invite'
