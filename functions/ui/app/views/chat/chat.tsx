import { useNavigate } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { ApiError } from '../../../../../lib/api/api-error.ts'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { View } from '../../components/view.tsx'
import { useCreateConversation, useModelProviders } from '../../data/chat.ts'
import { sendTurn, type TurnRequest } from '../../data/turns.ts'
import { isWithoutProvider } from '../../run/advice.ts'
import { NoProvider } from '../../run/no-provider.tsx'
import { Columns } from './columns.tsx'
import { Composer } from './composer.tsx'

const NEW = 'new'

export const Chat = (): ReactNode => {
  const navigate = useNavigate()
  const create = useCreateConversation()
  const refused = useRef('')
  const begin = (request: TurnRequest) => {
    refused.current = request.content
    create.mutate(undefined, {
      onSuccess: ({ id }) => {
        void sendTurn(id, request)
        void navigate({ to: '/chat/$id', params: { id } })
      },
      onError: (error) => void toast.failed('Not sent', errorMessage(error)),
    })
  }
  return (
    <View title="Chat" isFixed>
      <Columns list="flex max-md:min-h-0 max-md:flex-1">
        <div className="flex min-h-0 min-w-0 flex-col md:flex-1 max-md:border-t max-md:pt-3">
          <div className="m-auto flex max-w-md flex-col items-center gap-2 px-6 text-center max-md:hidden">
            <MessagesSquare size={28} className="text-muted-foreground" />
            <p className="text-base font-medium">What should the agent do?</p>
            <p className="text-balance text-muted-foreground">
              The agent works in its own workspace, and you see each step.
            </p>
          </div>
          <Providers />
          <Composer
            key={String(create.isError)}
            id={NEW}
            refused={create.isError ? refused.current : ''}
            onSend={begin}
            blocked={create.isPending ? 'Creating the conversation' : undefined}
          />
        </div>
      </Columns>
    </View>
  )
}

/** Warns before the user types that no real model is available. */
const Providers = () => {
  const { data, error } = useModelProviders()
  const isMissing = error instanceof ApiError && isWithoutProvider(error.code)
  const demo = data?.default === 'demo'
  const sick = data?.providers.find(({ type, healthy }) => type === data.default && !healthy)
  if (!isMissing && !demo && !sick) return null
  return (
    <p role="note" className="mx-auto w-full max-w-3xl px-4 pb-2 text-muted-foreground md:px-6">
      {isMissing && 'No model provider is configured. '}
      {demo && 'The scripted demo model answers. It is not an AI. '}
      {sick && !demo && `${sick.name} is not healthy: ${sick.message ?? 'see Health'}. `}
      {(isMissing || demo) && <NoProvider />}
    </p>
  )
}
