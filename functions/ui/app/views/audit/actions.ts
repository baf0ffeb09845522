import { formatDateTime } from '../../components/format.ts'

/** Labels of audit actions. Others are shown by name. */
export const actions: Readonly<Record<string, string>> = {
  'auth.refused': 'Sign-in refused',
  'access-key.set': 'Access key set',
  'access-key.remove': 'Access key removed',
  'user.register': 'Account created',
  'user.change': 'Account changed',
  'account.link': 'Account linked',
  'account.unlink': 'Account unlinked',
  'invite.create': 'Invite created',
  'invite.delete': 'Invite deleted',
  'password.change': 'Password changed',
  'password.reset-code': 'Reset code created',
  'password.reset': 'Password reset',
  'session.end': 'Session revoked',
  'session.end-others': 'All other sessions revoked',
  'session.phone': 'Phone signed in',
  'token.create': 'API token created',
  'token.revoke': 'API token revoked',
  'runner.drain': 'Runner drained',
  'runner.undrain': 'Runner resumed',
  'runner.remove': 'Runner removed',
  'device.approve': 'Device approved',
  'device.reject': 'Device rejected',
  'device.revoke': 'Device revoked',
  'device.end': 'Device session revoked',
  'device.cleanup': 'Expired pairing requests deleted',
  'settings.change': 'Settings changed',
  'policy.change': 'Tool policy changed',
  'schedule.create': 'Schedule created',
  'schedule.change': 'Schedule changed',
  'schedule.delete': 'Schedule deleted',
  'integration.change': 'Integration changed',
  'model-key.set': 'Model key saved',
  'model-key.remove': 'Model key removed',
  'task.export': 'Tasks exported',
  'task.import': 'Tasks imported',
  'bulk.start': 'Bulk job started',
  'bulk.cancel': 'Bulk job cancelled',
  'failure.mute': 'Failures muted',
  'failure.unmute': 'Failures unmuted',
  'memory.clear': 'Memory cleared',
  'webhook.create': 'Webhook created',
  'webhook.change': 'Webhook changed',
  'webhook.rotate': 'Webhook secret rotated',
  'webhook.delete': 'Webhook deleted',
}

export const actionLabel = (action: string): string => actions[action] ?? action

/** `space` indents objects. */
export const detailText = (value: unknown, space?: number): string => {
  if (Array.isArray(value)) return value.map((one) => detailText(one)).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, space)
}
const isId = (value: unknown) =>
  typeof value === 'string' && /^[a-z]+_(?:[0-9A-Z]{26}|[0-9a-f]{32,})$/.test(value)
const isMoment = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

/** Values of `as` when an account is created. */
const admissions: Readonly<Record<string, string>> = {
  founder: 'first account',
  open: 'open registration',
  invited: 'invite',
}

/** Paths of settings stay as the API writes them. */
const words = (name: string) => {
  if (name === 'requesterId') return 'device'
  return name.includes('.') ? name : name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

const detailWords = ([name, value]: readonly [string, unknown]): string => {
  if (name === 'as' && typeof value === 'string') return `by: ${admissions[value] ?? value}`
  return `${words(name)}: ${isMoment(value) ? formatDateTime(value) : detailText(value)}`
}

/** Without ids, which the entry has, unless there is nothing else. */
export const detailsLine = (details: Readonly<Record<string, unknown>>): string => {
  const all = Object.entries(details)
  const named = all.filter(([name, value]) => name !== 'userId' && !isId(value))
  return (named.length > 0 ? named : all).map(detailWords).join(' · ')
}
