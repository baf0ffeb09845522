import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { isNotDecided } from '../../../../../lib/core/not-decided.ts'
import { WaitingCalls } from '../../approvals/waiting-calls.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { RichText } from '../../components/rich-text.tsx'
import { When } from '../../components/when.tsx'
import { Windowed } from '../../components/windowed.tsx'
import type { ChatMessage } from '../../data/chat.ts'
import type { CallState } from '../../run/run.ts'
import { Trouble } from '../../run/run-view.tsx'
import { ToolCall, WaitingRow } from '../../run/tool-call.tsx'

export const UserMessage = ({ text, note }: { text: string; note?: string | undefined }) => (
  <article aria-label="You" className="flex flex-col items-end gap-1">
    <p className="max-w-[85%] rounded-lg bg-accent px-3 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap">
      <TextPieces text={text} />
    </p>
    {note && <p className="text-xs text-muted-foreground">{note}</p>}
  </article>
)

type Call = NonNullable<ChatMessage['toolCalls']>[number]

const storedState = (status: Call['status'], result: string | undefined): CallState => {
  if (status === 'pending') return 'waiting'
  return status === 'error' && isNotDecided(result) ? 'expired' : status
}

const callFacts = ({ id, name, arguments: given, status, result, duration }: Call) => ({
  callId: id,
  name,
  arguments: given,
  result,
  title: callTitle(name, given),
  state: storedState(status, result),
  tookMs: status === 'pending' ? undefined : duration,
})

/** Stored calls have no title, so it is made of the name and the first argument. */
const callTitle = (name: string, given: unknown) => {
  const first = Object.values(typeof given === 'object' && given !== null ? given : {})[0]
  return typeof first === 'string' ? `${name} ${first.split('\n')[0]}` : name
}

const CALL_PX = 42

/** Memoized, so that it does not render while a newer one streams. */
export const Message = memo(({ message }: { message: ChatMessage }) => {
  const {
    role,
    content,
    toolCalls = [],
    error,
    model,
    usage,
    createdAt,
    conversationId,
    sessionId,
    notice,
  } = message
  if (role === 'user') return <UserMessage text={content} />
  // While a call waits, the content precedes it; after the turn it follows all calls.
  const isWaiting = toolCalls.some(({ status }) => status === 'pending')
  return (
    <article aria-label="Answer" className="flex min-w-0 flex-col gap-2">
      {isWaiting && content !== '' && <RichText text={content} />}
      <Windowed
        items={toolCalls}
        getKey={({ step, id }) => `${step} ${id}`}
        draw={(call) =>
          call.status === 'pending' ? (
            <WaitingRow call={callFacts(call)} scope={{ conversationId }} />
          ) : (
            <ToolCall call={callFacts(call)} scope={{ conversationId }} />
          )
        }
        itemPx={CALL_PX}
        className="flex min-w-0 flex-col gap-2"
      />
      {isWaiting && <WaitingCalls scope={{ conversationId }} />}
      {!isWaiting && content !== '' && <RichText text={content} />}
      {error && <Trouble {...error} />}
      {notice && (
        <p className="text-xs text-muted-foreground">
          <TextPieces text={notice} />
        </p>
      )}
      <p className="text-xs text-muted-foreground">
        <Facts
          facts={[
            <When key="at" at={createdAt} />,
            usage && `${formatNumber(usage.totalTokens)} tokens`,
            model,
            sessionId && (
              <Link
                key="run"
                to="/chat/sessions/$id"
                params={{ id: sessionId }}
                className="underline underline-offset-2"
              >
                Open run
              </Link>
            ),
          ]}
        />
      </p>
    </article>
  )
})
