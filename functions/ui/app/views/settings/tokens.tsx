import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
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

export const Tokens = (): ReactNode => {
  const [isNew, setNew] = useState(false)
  return (
    <>
      {isNew && <TokenForm onClose={() => setNew(false)} />}
      <List onNew={() => setNew(true)} isNew={isNew} />
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
