import type { AccountName, Connection } from '../../data/integrations.ts'

const words: Readonly<Record<AccountName, Readonly<Record<string, string>>>> = {
  codehost: {
    repo: 'read private repositories, push branches, open pull requests and comment',
    public_repo: 'push branches to public repositories, open pull requests and comment',
    'read:user': 'read your profile',
    'user:email': 'read your email addresses',
  },
  trackera: {
    'read:me': 'read your profile',
    'read:jira-work': 'read issues',
    'write:jira-work': 'change issues and comment',
    offline_access: 'stay connected',
  },
  trackerb: {
    read: 'read issues and teams',
    write: 'change issues and comment',
    'comments:create': 'comment',
    'issues:create': 'create issues',
  },
}

/** Identity scopes, which providers leave out of the grant or imply. */
const OF_IDENTITY = ['read:user', 'user:email', 'read:me', 'offline_access']

export const scopeLabels = (name: AccountName, scopes: readonly string[]): string[] =>
  scopes.map((scope) => words[name][scope] ?? scope)

/** Scopes that are requested today but were not granted. */
export const missingScopes = (
  name: AccountName,
  { askedScopes, scopes }: Pick<Connection, 'askedScopes' | 'scopes'>,
): string[] =>
  scopeLabels(
    name,
    askedScopes.filter((scope) => !scopes.includes(scope) && !OF_IDENTITY.includes(scope)),
  )
