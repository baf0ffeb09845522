import { useQuery } from '@tanstack/react-query'
import { client } from './client.ts'

/** Without an access key every caller is the local admin. */
export const useMe = () => {
  const { data } = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => client.me({}, { signal }),
    staleTime: 60_000,
  })
  return data?.authenticated ? data.user : undefined
}
