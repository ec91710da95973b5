// Saves an API response in a format other than JSON as a file. A truncated response is an error.
import type { FilterValue } from '../../../src/contract/filter-value.ts';
import { send, toQueryString } from './fetch-resource.ts';

interface DownloadOptions {
  /** A media type that the resource offers. */
  readonly accept: string;
  readonly fileName: string;
  readonly query: Readonly<Record<string, FilterValue | undefined>>;
}

/** @throws UnauthorizedError on 401, ApiError on any other error status */
export async function download(path: string, { accept, fileName, query }: DownloadOptions): Promise<void> {
  const response = await send(`/api/v1/${path}${toQueryString(query)}`, { headers: { accept } });
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
