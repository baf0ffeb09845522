import type { Failure } from '../../../../../lib/oauth/schema.ts'

/** Why sign-in or linking by a provider failed. */
export const failures: Readonly<Record<Failure, string>> = {
  access_denied: 'You did not allow access there. Begin again if you did not mean to.',
  invalid_state:
    'This sign-in did not begin in this browser, took longer than ten minutes, or is over already. Begin again.',
  invalid_code: 'The answer of the provider was used already, or came too late. Begin again.',
  session_changed:
    'You are not signed in as you were when you began to link the account. Sign in, and link it again.',
  account_taken:
    'That account is linked to another user here. Use another one, or ask an admin to unlink it.',
  account_exists:
    'There is an account with your e-mail address already. Sign in to it as you usually do, and link this one in its settings.',
  email_not_usable:
    'The e-mail address of that account cannot be used here. Change it there, or use another account.',
  email_not_verified: 'The e-mail address of that account is not verified. Verify it there, and try again.',
  registration_closed: 'There is no account for you here, and registration is closed. Ask an admin.',
  invite_required:
    'There is no account for you here yet. Enter the invite code that an admin gave you, and try again.',
  invalid_invite:
    'The invite code is wrong, used, expired, or for another address. Ask an admin for a new one.',
  sign_in_refused: 'This account is disabled. Ask an admin to enable it.',
  sign_in_not_offered: 'One does not sign in this way here. Use what is offered below.',
  oauth_not_configured: 'This provider is not set up here. Use another way, or ask an admin to configure it.',
  provider_unreachable: 'The provider did not answer. Try again in a moment.',
  oauth_failed: 'The provider did not let you in. Try again; the log of the service says why it failed.',
}

const isFailure = (reason: string): reason is Failure => Object.hasOwn(failures, reason)

/** The address may hold anything; only known reasons are shown. */
export const failureText = (reason: string | undefined): string | undefined => {
  if (reason === undefined) return undefined
  return isFailure(reason) ? failures[reason] : failures.oauth_failed
}

export const wantsInvite = (reason: string | undefined) =>
  reason === 'invite_required' || reason === 'invalid_invite'
