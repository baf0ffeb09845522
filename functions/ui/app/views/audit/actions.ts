/** Labels of audit actions. Others are shown by name. */
export const actions: Readonly<Record<string, string>> = {
  'auth.refused': 'Sign-in refused',
  'access-key.set': 'Access key set',
  'access-key.remove': 'Access key removed',
  'user.register': 'Account made',
  'user.change': 'Account changed',
  'account.link': 'Account linked',
  'account.unlink': 'Account unlinked',
  'invite.create': 'Invite made',
  'invite.delete': 'Invite deleted',
  'password.change': 'Password changed',
  'password.reset-code': 'Reset code made',
  'password.reset': 'Password reset',
  'session.end': 'Session ended',
  'session.end-others': 'All other sessions ended',
  'token.create': 'API token made',
  'token.revoke': 'API token revoked',
  'device.approve': 'Device approved',
  'device.reject': 'Device rejected',
  'device.revoke': 'Device removed',
  'device.end': 'Device ended',
  'device.cleanup': 'Old pairing requests removed',
  'settings.change': 'Settings changed',
  'policy.change': 'Policy of tools changed',
  'schedule.create': 'Schedule made',
  'schedule.change': 'Schedule changed',
  'schedule.delete': 'Schedule deleted',
  'integration.change': 'Integration changed',
  'task.export': 'Tasks exported',
  'task.import': 'Tasks imported',
  'bulk.start': 'Bulk job begun',
  'bulk.cancel': 'Bulk job stopped',
  'failure.mute': 'Failures muted',
  'failure.unmute': 'Failures unmuted',
  'memory.clear': 'Memory cleared',
  'webhook.create': 'Webhook made',
  'webhook.change': 'Webhook changed',
  'webhook.rotate': 'Secret of a webhook rotated',
  'webhook.delete': 'Webhook deleted',
}

export const actionLabel = (action: string): string => actions[action] ?? action

/** `space` indents objects. */
export const detailText = (value: unknown, space?: number): string => {
  if (Array.isArray(value)) return value.map((one) => detailText(one)).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, space)
}
const isId = (value: unknown) => typeof value === 'string' && /^[a-z]+_[0-9A-Z]{26}$/.test(value)

/** Ids come last: the line may be truncated. */
export const detailsLine = (details: Readonly<Record<string, unknown>>): string =>
  Object.entries(details)
    .toSorted(([, one], [, other]) => Number(isId(one)) - Number(isId(other)))
    .map(([name, value]) => `${name}: ${detailText(value)}`)
    .join(' · ')
