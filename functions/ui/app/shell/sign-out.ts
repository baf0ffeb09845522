import { useNavigate } from '@tanstack/react-router'
import { errorMessage } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { dropDrafts } from '../create/draft.ts'
import { useLogout } from '../data/session.ts'
import { closeOverlay } from './overlay.ts'

/** The overlay that asked for it may be closed before the answer comes. */
export const useSignOut = () => {
  const navigate = useNavigate()
  const { mutateAsync, isPending } = useLogout()
  const leave = () =>
    mutateAsync().then(
      () => {
        closeOverlay()
        dropDrafts()
        return navigate({ to: '/login' })
      },
      (error: unknown) => void toast.failed('Sign-out failed', errorMessage(error)),
    )
  return { leave, isPending }
}
