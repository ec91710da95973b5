// Keys and tokens that can be told by their look alone, provider by provider, and the structures that carry secrets:
// PEM blocks, JWTs, credentials in URLs, authorization headers, webhook addresses. Prefixes and lengths are the
// providers' own; the lengths are bounds, so that one pattern outlives a change of format.
import {
  isMixedAlphanumeric,
  isRandomLooking,
  type PatternRule,
  type RedactionRule,
  toRedactionRule,
} from './redaction-rule.ts';

/**
 * Certain rules before likely ones, long patterns before short ones: redacted text is not examined again. No pattern requires a
 * word boundary, because a key may follow a letter, such as the `n` of an escaped line break.
 */
export const SECRET_RULES: readonly RedactionRule[] = [
  // Without its end it was cut, and is a key all the same.
  toRule(
    'pem',
    ['-----BEGIN ', 'Private-Lines: '],
    /-----BEGIN [A-Z0-9 ]{1,40}-----(?:(?!-----(?:BEGIN|END) )[\s\S]){0,40000}(?:-----END [A-Z0-9 ]{1,40}-----)?|Private-Lines: \d{1,4}\s{1,4}[A-Za-z0-9+/=\s]{1,20000}/g,
  ),
  toRule('url_credentials', ['://'], /(:\/\/)[^\s/?#"'@:]{0,200}:[^\s/?#"']{1,200}(@)/g, {
    isMatch: (match) => !match.includes('[redacted:'),
  }),
  toRule(
    'webhook',
    ['hooks.slack', '/webhooks/', 'webhook.office', 'hooks.zapier'],
    /((?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks|webhook\.office\.com\/webhookb2|hooks\.zapier\.com\/hooks\/catch)\/)[\w/@+.-]{8,300}/g,
  ),
  // A header ends where another begins: without it, a text of many beginnings is read again from each of them.
  toRule('jwt', ['eyJ'], /eyJ(?:(?!eyJ)[\w-]){5,2000}\.[\w-]{5,4000}(?:\.[\w-]{0,4000}){0,3}/g, {
    isMatchInWord: isReadableJwt,
  }),
  toRule(
    'authorization',
    ['uthorization', 'UTHORIZATION'],
    /(authorization\\{0,3}["']?\s{0,4}(?:[:=]|%3A)\s{0,4}\\{0,3}["']?(?:(?:bearer|basic|token|apikey|negotiate|key|bot)\s{1,4})?)(?:(?:digest|aws4-hmac-sha256|hmac[\w-]{0,20})\s[^\r\n]{1,4000}|[^\s"'\\,;]{6,4000})/gi,
    { isMatch: (match) => !/(?:header|required|missing|invalid|expected)$/i.test(match) },
  ),
  toRule(
    'authorization',
    ['earer ', 'asic ', 'EARER ', 'ASIC '],
    /((?:bearer|basic)\s{1,4})[\w.~+/=-]{8,4000}/gi,
    {
      isMatch: (match) => !/^\w{5,6}\s+[A-Za-z]?[a-z]{0,22}\.?$/.test(match),
      isMatchInWord: isRandomLooking,
    },
  ),
  toRule(
    'cookie',
    ['ookie', 'OOKIE'],
    /(cookie\\{0,3}["']?\s{0,4}:\s{0,4}\\{0,3}["']?)[^\r\n"'=]{1,200}=[^\r\n"']{1,4000}/gi,
  ),
  toRule('aws_key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}/g),
  toRule(
    'github_token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    /(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255})/g,
  ),
  toRule(
    'gitlab_token',
    ['glpat-', 'glptt-', 'gldt-', 'glrt-', 'glcbt-', 'glft-', 'glsoat-', 'glagent-', 'gloas-'],
    /gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[\w.-]{16,200}/g,
    { isMatchInWord: isRandomLooking },
  ),
  toRule(
    'slack_token',
    ['xox', 'xapp-'],
    /(?:xox[abceoprs](?:\.xox[abp])?-[\w-]{10,300}|xapp-\d-[\w-]{10,300})/g,
    { isMatchInWord: isRandomLooking },
  ),
  toRule(
    'stripe_key',
    ['_live_', '_test_', 'whsec_'],
    /(?:[spr]k_(?:live|test)_\w{10,250}|whsec_[\w+/=]{16,250})/g,
    { isMatchInWord: isRandomLooking },
  ),
  toRule(
    'google_key',
    ['AIza', 'ya29.', 'GOCSPX-', '1//0'],
    /(?:AIza[\w-]{30,60}|ya29\.[\w-]{20,1000}|GOCSPX-[\w-]{20,60}|1\/\/0[\w-]{30,300})/g,
    { isMatchInWord: isRandomLooking },
  ),
  toRule('azure_secret', ['Q~'], /[\w~.-]{3}\dQ~[\w~.-]{30,40}/g),
  toRule('npm_token', ['npm_'], /npm_[A-Za-z0-9]{30,60}/g),
  toRule('pypi_token', ['pypi-'], /pypi-[\w-]{40,1000}/g, { isMatch: isRandomLooking }),
  toRule('sendgrid_key', ['SG.'], /SG\.[\w-]{16,40}\.[\w-]{16,80}/g, { isMatchInWord: isMixedAlphanumeric }),
  toRule('twilio_key', ['SK'], /SK[0-9a-f]{32}/g),
  toRule('telegram_token', [':AA'], /\d{8,10}:AA[\w-]{32,35}/g),
  toRule('discord_token', ['.'], /[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6,7}\.[\w-]{27,40}/g, {
    isMatch: isMixedAlphanumeric,
  }),
  toRule('huggingface_token', ['hf_', 'api_org_'], /(?:hf_[A-Za-z0-9]{30,60}|api_org_[A-Za-z0-9]{30,60})/g, {
    isMatchInWord: isRandomLooking,
  }),
  toRule('digitalocean_token', ['_v1_'], /do[opr]_v1_[0-9a-f]{40,80}/g),
  toRule('shopify_token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,64}/g),
  toRule('linear_key', ['lin_'], /lin_(?:api|oauth)_[A-Za-z0-9]{32,64}/g, { isMatchInWord: isRandomLooking }),
  toRule('notion_token', ['ntn_', 'secret_'], /(?:ntn_[A-Za-z0-9]{30,60}|secret_[A-Za-z0-9]{40,60})/g, {
    isMatchInWord: isRandomLooking,
  }),
  toRule('databricks_token', ['dapi'], /dapi[0-9a-f]{32}(?:-\d)?/g),
  toRule('vault_token', ['hvs.', 'hvb.', 'hvr.'], /hv[sbr]\.[\w-]{20,300}/g, {
    isMatchInWord: isRandomLooking,
  }),
  // OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse and others begin so; packages of scikit do, too.
  toRule('ai_key', ['sk-'], /sk-[\w-]{16,300}/g, {
    isMatch: isRandomLooking,
    isMatchInWord: isKnownPrefixOrMixed,
  }),
  toRule(
    'service_token',
    'dp.pt. dp.st. dp.ct. pscale_ PMAK- NRAK- glsa_ glc_ sntrys_ sntryu_ ATATT3 sq0atp- sq0csp- sbp_ gsk_ pplx- r8_ xai- pul- figd_ rubygems_ CCIPAT_ dckr_pat_ lsv2_ tskey- AGE-SECRET-KEY-1 tvly- atlasv1. phx_ pat-na1-'.split(
      ' ',
    ),
    /(?:dp\.(?:pt|st|ct)\.|pscale_(?:tkn|oauth|pw)_|PMAK-|NRAK-|glsa_|glc_|sntry[su]_|ATATT3|sq0(?:atp|csp)-|sbp_|gsk_|pplx-|r8_|xai-|pul-|figd_|rubygems_|CCIPAT_|dckr_pat_|lsv2_(?:pt|sk)_|tskey-|AGE-SECRET-KEY-1|tvly-|[A-Za-z0-9]{14}\.atlasv1\.|phx_|pat-na1-)[\w.=+-]{16,300}/g,
    { isMatch: isRandomLooking, isMatchInWord: isMixedAlphanumeric },
  ),
  toRule(
    'password',
    ['dentified ', 'DENTIFIED '],
    /(identified\s{1,4}by\s{1,4}\\{0,2})(?:'[^'\n]{1,300}'?|"[^"\n]{1,300}"?)/gi,
  ),
];

function toRule(
  name: string,
  hints: readonly string[],
  pattern: RegExp,
  checks: Pick<PatternRule, 'isMatch' | 'isMatchInWord'> = {},
): RedactionRule {
  return toRedactionRule({ name, hints, pattern, ...checks });
}

/** `eyJ` is base64 of `{"`; the rest of the header is text as well, which that of a word is not. */
function isReadableJwt(match: string): boolean {
  const [header = ''] = match.split('.', 1);
  try {
    return /^[\x20-\x7e]+$/.test(atob(header.replace(/-/g, '+').replace(/_/g, '/')));
  } catch {
    // Cut in the middle of four characters, or no base64 at all.
    return false;
  }
}

/** `disk-` and `task-` end in it. */
function isKnownPrefixOrMixed(match: string): boolean {
  return /^sk-(?:proj|ant|or-v\d|svcacct|admin|lf|None)-/.test(match) || isMixedAlphanumeric(match);
}
