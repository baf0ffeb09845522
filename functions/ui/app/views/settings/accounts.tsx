import type { ReactNode } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { type AccountName, type Connection, useConnection, useDisconnect } from '../../data/integrations.ts'
import { useMe } from '../../data/me.ts'
import { providerTitle, useProviderStatuses, wayTo } from '../../data/providers.ts'
import { leaveToLink } from '../../data/way-back.ts'
import { missingScopes, scopeLabels } from './scope-words.ts'

const names: readonly AccountName[] = ['codehost', 'trackera', 'trackerb']

/** The consequence of unlinking for the owner. */
const stops: Readonly<Record<AccountName, string>> = {
  codehost:
    'Your tasks can no longer clone private repositories, push branches or open pull requests, and chat can no longer read its issues.',
  trackera: 'Chat can no longer read your Jira issues.',
  trackerb: 'Chat can no longer read your Linear issues.',
}
const STOPS_COMMENTS =
  'Tasks no longer comment on their issues, unless another admin has linked an account that can comment.'
const becomesOfToken: Readonly<Record<AccountName, string>> = {
  codehost: 'The token is revoked.',
  trackera:
    'The token is deleted here. Jira cannot revoke tokens, so also remove the app in your Atlassian settings.',
  trackerb: 'The token is revoked.',
}

export const Accounts = ({ isAdmin }: { isAdmin: boolean }) => (
  <Panel title="Your accounts">
    <Rows label="Your accounts">
      {names.map((name) => (
        <Account key={name} name={name} isAdmin={isAdmin} />
      ))}
    </Rows>
  </Panel>
)

const Account = ({ name, isAdmin }: { name: AccountName; isAdmin: boolean }) => {
  const { data, error } = useConnection(name)
  const status = useProviderStatuses()?.get(name)
  const isThere = status?.needs === undefined
  const isLinked = useMe()?.connectedAccounts.includes(name) ?? false
  const isLost = isLinked && data?.connected === false
  return (
    <Row
      title={providerTitle(name)}
      aside={<State data={data} isLost={isLost} isThere={isThere} />}
      meta={
        <>
          {error && !data && <span className="text-destructive">{errorMessage(error)}</span>}
          {data?.connected && <Facts facts={accountFacts(data)} />}
          {data && (isThere || data.connected) && <p>{rightsText(name, data)}</p>}
          {isLost && <p className="text-destructive">This account has lost access. Link it again.</p>}
          {!isThere && <p>{isAdmin ? `${status?.needs}.` : NOT_THERE}</p>}
          {data?.webhookConfigured !== undefined && <Webhook {...data} isAdmin={isAdmin} />}
        </>
      }
      actions={
        data && (isThere || data.connected) && <Actions name={name} account={data} isThere={isThere} />
      }
    />
  )
}

const NOT_THERE = 'Not set up. Ask an admin.'

type StateProps = { data: Connection | undefined; isLost: boolean; isThere: boolean }

const State = ({ data, isLost, isThere }: StateProps) => {
  if (data?.connected) return <Tag tone="good">Linked</Tag>
  if (isLost) return <Tag tone="bad">Access lost</Tag>
  return isThere ? data && <Tag>Not linked</Tag> : <Tag tone="warn">Not set up</Tag>
}

const accountFacts = ({ username, siteName, workspaceName, teams, tokenExpiry }: Connection): ReactNode[] => [
  username && `as ${username}`,
  siteName && `site ${siteName}`,
  workspaceName && `workspace ${workspaceName}`,
  teams && teams.length > 0 && `teams ${teams.map((team) => team.name).join(', ')}`,
  tokenExpiry && (
    <span key="expiry">
      token until <When at={tokenExpiry} />, renewed automatically
    </span>
  ),
]

const rightsText = (name: AccountName, account: Connection): string => {
  const { connected, scopes, askedScopes, mayComment } = account
  const listed = (rights: readonly string[]) => rights.join(', ')
  if (!connected) return `Linking lets the service ${listed(scopeLabels(name, askedScopes))}.`
  const answers = mayComment ? ' It comments on the issues of tasks.' : ''
  if (scopes.length === 0) return `It has the permissions of its app.${answers}`
  const missing = missingScopes(name, account)
  const may = `It may ${listed(scopeLabels(name, scopes))}.${answers}`
  return missing.length === 0 ? may : `${may} It may not ${listed(missing)}. Link it again to allow this.`
}

type WebhookProps = Pick<Connection, 'webhookConfigured' | 'aiTaskLabel'> & { isAdmin: boolean }

const Webhook = ({ webhookConfigured, aiTaskLabel, isAdmin }: WebhookProps) => (
  <p>
    {webhookConfigured ? (
      <>
        Issues with the label <code className="font-mono text-xs">{aiTaskLabel}</code> become tasks.
      </>
    ) : (
      `Its issues do not become tasks${isAdmin ? ': set CODEHOST_WEBHOOK_SECRET' : ' in this installation'}.`
    )}
  </p>
)

type ActionsProps = { name: AccountName; account: Connection; isThere: boolean }

const Actions = ({ name, account, isThere }: ActionsProps) => {
  const { connected: isConnected, mayComment } = account
  const { mutateAsync } = useDisconnect(name)
  const title = providerTitle(name)
  return (
    <>
      {isThere && (
        <a
          href={wayTo(name)}
          aria-label={isConnected ? `Link again: ${title}` : `Link ${title}`}
          onClick={leaveToLink}
          className={buttonClass({ size: 'small' })}
        >
          {isConnected ? 'Link again' : 'Link'}
        </a>
      )}
      {isConnected && (
        <Confirm verb="Unlink" title={`Unlink ${title}`} onConfirm={() => mutateAsync()} keep="Cancel">
          <p>{[stops[name], ...(mayComment ? [STOPS_COMMENTS] : []), becomesOfToken[name]].join(' ')}</p>
          <p className="pt-2">
            If it is your only way to sign in, you can still sign in with it by the same verified address.
          </p>
        </Confirm>
      )}
    </>
  )
}
