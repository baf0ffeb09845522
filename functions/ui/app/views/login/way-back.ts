import { useRouter, useSearch } from '@tanstack/react-router'
import { safePath } from './safe-path.ts'

type Search = { from?: string; error?: string; invite?: string }

export const useAsked = (): Search => useSearch({ strict: false })

export const useWayBack = () => {
  const { history } = useRouter()
  const { from } = useAsked()
  const path = safePath(from, location.origin)
  return { path, goBack: () => history.replace(path) }
}
