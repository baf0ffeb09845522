import type { ReactNode } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { Pager } from '../../components/pager.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useMe } from '../../data/me.ts'
import { usePage } from '../../data/page.ts'
import { useRevokeToken, useTokens } from '../../data/tokens.ts'
import { TokenForm } from './token-form.tsx'

export const Tokens = (): ReactNode => (
  <>
    <TokenForm />
    <List />
  </>
)

const List = () => {
  const paging = usePage()
  const { data, error, refetch } = useTokens(paging.query)
  return (
    <Panel title="API tokens" aside={<span className="text-muted-foreground">{data?.total}</span>}>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={4} />}
      {data?.total === 0 && (
        <Empty title="No tokens yet">
          Programs use one as <code className="font-mono">Authorization: Bearer</code>: the gateway and the
          webhooks ask for it.
        </Empty>
      )}
      {data && data.total > 0 && (
        <Rows label="API tokens">
          {data.tokens.map((token) => (
            <TokenRow key={token.id} {...token} />
          ))}
        </Rows>
      )}
      <Pager paging={paging} total={data?.total} />
    </Panel>
  )
}

type Token = NonNullable<ReturnType<typeof useTokens>['data']>['tokens'][number]

const TokenRow = ({ id, name, userId, scopes, rateLimit, createdAt, expiresAt, lastUsedAt }: Token) => {
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
              made <When at={createdAt} />
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
            rateLimit !== undefined && `${rateLimit} a minute`,
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
          What still uses this token is refused at once. It cannot be brought back.
        </Confirm>
      }
    />
  )
}
