import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { PagedRows } from '../../components/paged-rows.tsx'
import { Person } from '../../components/person.tsx'
import { Row } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useMe } from '../../data/me.ts'
import { usePage } from '../../data/page.ts'
import { useRevokeToken, useTokens } from '../../data/tokens.ts'
import { TokenForm } from './token-form.tsx'

const NEW = 'new'

/** The form of a new token is in the address, so that other views lead to it. */
export const Tokens = (): ReactNode => {
  const { token }: { token?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const isNew = token === NEW
  const open = (next: string | undefined) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, token: next }) } as never)
  return (
    <>
      {isNew && <TokenForm onClose={() => open(undefined)} />}
      <List onNew={() => open(NEW)} isNew={isNew} />
    </>
  )
}

const List = ({ isNew, onNew }: { isNew: boolean; onNew: () => void }) => {
  const paging = usePage()
  const query = useTokens(paging.query)
  const { data } = query
  return (
    <Panel
      title="API tokens"
      aside={
        <>
          <span className="text-muted-foreground">
            {data && data.total > 0 && `${formatNumber(data.total)} ${data.total === 1 ? 'token' : 'tokens'}`}
          </span>
          {!isNew && (
            <Button size="small" onClick={onNew}>
              <Plus size={14} /> New token
            </Button>
          )}
        </>
      }
    >
      <PagedRows
        label="API tokens"
        query={query}
        paging={paging}
        getItems={({ tokens }) => tokens}
        empty={
          <Empty title="No tokens yet">
            Programs send a token as <code className="font-mono">Authorization: Bearer</code>. The gateway and
            the webhook API need one.
          </Empty>
        }
      >
        {(token) => <TokenRow {...token} />}
      </PagedRows>
    </Panel>
  )
}

type Token = NonNullable<ReturnType<typeof useTokens>['data']>['tokens'][number]

const TokenRow = ({
  id,
  name,
  userId,
  scopes,
  rateLimit,
  runner,
  createdAt,
  expiresAt,
  lastUsedAt,
}: Token) => {
  const me = useMe()
  const { mutateAsync } = useRevokeToken()
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
  return (
    <Row
      title={name}
      aside={
        <>
          {scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
          {isOver && <Tag tone="bad">Expired</Tag>}
        </>
      }
      meta={
        <Facts
          facts={[
            <>
              created <When at={createdAt} />
            </>,
            lastUsedAt ? (
              <>
                used <When at={lastUsedAt} />
              </>
            ) : (
              'never used'
            ),
            expiresAt ? (
              <>
                {isOver ? 'expired' : 'expires'} <When at={expiresAt} />
              </>
            ) : (
              'does not expire'
            ),
            runner !== undefined && `runner ${runner}`,
            rateLimit !== undefined && `${rateLimit} per minute`,
            me && userId !== me.id && (
              <>
                by <Person id={userId} />
              </>
            ),
          ]}
        />
      }
      actions={
        <Confirm verb="Revoke" title={`Revoke ${name}`} onConfirm={() => mutateAsync(id)}>
          Programs that use this token stop working immediately. This cannot be undone.
        </Confirm>
      }
    />
  )
}
