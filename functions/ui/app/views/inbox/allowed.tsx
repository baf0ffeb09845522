import { sessionName } from '../../approvals/outcome.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { TitledSession } from '../../components/session-link.tsx'
import { When } from '../../components/when.tsx'
import { type AllowedTool, useAllowedTools, useRemoveAllowedTool } from '../../data/approvals.ts'
import { useMe } from '../../data/me.ts'

/** Renders nothing without permissions. */
export const Allowed = () => {
  const { data, error, refetch } = useAllowedTools()
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  if (!data || data.length === 0) return null
  return (
    <section aria-label="Always allowed" className="p-4 md:px-6">
      <h2 className="pb-2 font-semibold">Always allowed</h2>
      <div className="rounded-lg border bg-card">
        <Rows label="Tools that are always allowed">
          {data.map((one) => (
            <One key={one.id} {...one} />
          ))}
        </Rows>
      </div>
    </section>
  )
}

const One = (allowed: AllowedTool) => {
  const { id, toolName, taskId, conversationId, userId, allowedAt, expiresAt } = allowed
  const me = useMe()
  const { mutateAsync } = useRemoveAllowedTool()
  return (
    <Row
      title={<code className="font-mono">{toolName}</code>}
      meta={
        <Facts
          facts={[
            <TitledSession key="session" taskId={taskId} conversationId={conversationId} />,
            me && me.id !== userId && <Person key="of" id={userId} />,
            <span key="at">
              allowed <When at={allowedAt} />
            </span>,
            <span key="until">
              ends <When at={expiresAt} />
            </span>,
          ]}
        />
      }
      actions={
        <Confirm
          verb="Revoke"
          kind="plain"
          keep="Cancel"
          title={`Revoke the permission for ${toolName}`}
          trigger="Revoke"
          onConfirm={() => mutateAsync(id)}
        >
          The next call of <code className="font-mono">{toolName}</code> in {sessionName(allowed)} needs
          approval again.
        </Confirm>
      }
    />
  )
}
