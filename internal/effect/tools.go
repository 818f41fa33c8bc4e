package effect

import "sync"

// tools is the table of programs whose options and operands are known. Columns: names, kind of
// operands ("+inert": no option does harm, so that an operand that begins with a pattern is safe),
// option letters, long options. Marks after an option are those of options.go. An option that is
// not listed makes a command one to review.
//
// Kinds: none; data; words, which are data and no options; read; looked at but not opened: look, and "." when
// there are none: dir; the first is a pattern: grep, rg; at most one
// is read: one; written: write; deleted: delete; the last is written, the others read: copy, or deleted:
// move; the first is data and the others are written: mode; judged by a function: name of the tool.
var tools = sync.OnceValue(func() map[string]*tool { return parseTools(toolTable) })

const toolTable = `
cat|tac        read+inert   AbeEnstTuvr  number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank before regex separator:
head|tail      read+inert   c:n:qvzs:fF   bytes: lines: quiet silent verbose zero-terminated -number
nl             read+inert   b:d:f:h:i:l:n:ps:v:w:
wc             read+inert   clmwL        bytes chars lines max-line-length words total:
ls|dir|vdir    dir+inert    aAbBcCdDfFgGhHiI:klmnNopqQrRsStT:uUvw:xXZ1  all almost-all author block-size: color? directory dired classify? full-time group-directories-first human-readable si hide: ignore: inode numeric-uid-gid recursive reverse size sort: time: time-style: format: width: zero indicator-style: show-control-chars
tree           dir+inert    adfil!psughDFrtUcvxCnAJXNqQI:P:L:o!>  noreport gitignore dirsfirst filesfirst prune du si matchdirs ignore-case filelimit: sort: timefmt: inodes device fromfile charset: nolinks
du             dir+inert    0abcd:DhHklLmPsSt:xB:   all apparent-size bytes total max-depth: human-readable summarize exclude: one-file-system threshold: block-size: si time?
df             data         ahHiklPt:TB:x:          all human-readable inodes local total type: print-type
stat           look+inert   c:Lt                    dereference format: file-system printf: terse
file           read+inert   bEhiIkLnNrs0F:          brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad raw separator: extension
grep|egrep|fgrep grep+inert A:B:C:D:d:EFGPHILTUVZabce:f<hilm:noqRrsvwxyz  after-context: before-context: context: basic-regexp extended-regexp fixed-strings perl-regexp regexp: file< ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-with-matches files-without-match max-count: only-matching quiet silent no-messages byte-offset with-filename no-filename label: line-number initial-tab null text binary-files: directories: exclude: exclude-from< exclude-dir: include: recursive dereference-recursive line-buffered null-data -number
rg             rg           A:B:C:E:F.HIL!M:NPSt:T:Uabce:f<g:hij:lm:noqr:suvwxz!0d:c  after-context: before-context: context: count count-matches case-sensitive smart-case ignore-case color: colors: column no-column context-separator: crlf debug encoding: engine: field-context-separator: field-match-separator: files files-with-matches files-without-match fixed-strings glob: glob-case-insensitive iglob: heading no-heading hidden no-hidden ignore-file< include-zero invert-match json line-buffered line-number no-line-number line-regexp max-columns: max-columns-preview max-count: max-depth: maxdepth: max-filesize: multiline multiline-dotall no-config no-filename with-filename no-ignore no-ignore-vcs no-ignore-parent no-messages null only-matching path-separator: passthru pcre2 pretty quiet regexp: file< replace: sort: sortr: stats text threads: trim type: type-not: type-list type-add: unrestricted vimgrep word-regexp pre!: pre-glob!: search-zip! hostname-bin!: follow!
fd|fdfind      fd           HIusigFapl!1d:t:e:E:c:j:S:qL!x!:X!:0  hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path list-details! full-path max-depth: min-depth: exact-depth: type: extension: exclude: color: size: changed-within: changed-before: max-results: print0 strip-cwd-prefix prune quiet exec!: exec-batch!:
sort           read         bcCdfghik:MmnRrsSt:T!:o>uVz  ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort numeric-sort random-sort reverse version-sort check? key: merge stable field-separator: unique zero-terminated parallel: sort: output> compress-program!: files0-from!: temporary-directory!: random-source!: buffer-size:
uniq           one          cdDf:is:uw:z            count repeated unique ignore-case skip-fields: skip-chars: check-chars: all-repeated? zero-terminated group?
cut            read+inert   b:c:d:f:nsz             bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated
tr             data         cCdst                   complement delete squeeze-repeats truncate-set1
paste          read+inert   d:sz                    delimiters: serial zero-terminated
comm           read+inert   123z                    check-order nocheck-order output-delimiter: total
join           read+inert   a:e:i1:2:j:o:t:v:z      check-order nocheck-order header
diff           read         abBcdeiINnpqrsTtuU:wW:x:yEZC:L:F:  brief unified? context? recursive new-file side-by-side ignore-all-space ignore-space-change ignore-blank-lines ignore-case ignore-trailing-space report-identical-files text minimal width: exclude: label: color? suppress-common-lines strip-trailing-cr no-dereference left-column show-c-function speed-large-files
cmp            read+inert   bi:ln:s                 print-bytes ignore-initial: verbose bytes: quiet silent
column         read+inert   tc:s:o:xnNJR:H:         table separator: output-separator: table-columns: json
fold|fmt|expand|unexpand|rev read+inert bcsw:t:iug:p:  bytes spaces width: tabs: initial all
hexdump|hd     read+inert   bcCdoxvn:s:e:L?         canonical no-squeezing length: skip: format:
od             read+inert   A:j:N:S:t:vw?abcdfilosx  address-radix: skip-bytes: read-bytes: strings: format: output-duplicates width?
xxd            one          abc:Ceg:il:o:ps:ur!     plain
strings        read         an:t:e:fo               all bytes: radix: encoding: print-file-name
base64|base32  read         dDiw:                   decode wrap: ignore-garbage
md5sum|sha1sum|sha224sum|sha256sum|sha512sum|b2sum|cksum|sum|shasum read+inert bta:zl:c!<  binary text tag zero algorithm: length: check!<
zcat|gzcat|bzcat|xzcat|zstdcat read fqv
realpath|readlink look+inert efmnqsvzL               canonicalize canonicalize-existing canonicalize-missing relative-to: relative-base: no-symlinks quiet
basename|dirname data+inert as:z                    multiple suffix: zero
echo           words        -
printf         printf       v!:
pwd            none         LP                      logical physical
true|false|:   words         -
sleep          words         -
seq            words         f:s:w                   format: separator: equal-width
exit|return    words         -
which          data         as                      all
type           data         aftpP
whereis        data         bms
whoami|nproc|arch|tty|groups|uptime|users none -    all ignore: pretty since
uname          none         amnoprsvi               all kernel-name nodename kernel-release kernel-version machine processor operating-system
id             data         Ggnruz                  group groups name real user
hostname       none         fsiIdA                  fqdn short ip-address
date           date         uRI?d:r<s!:f!<          utc universal iso-8601? rfc-3339: rfc-email date: reference< set!: file!<
free|vmstat    none         bhkmgtsl                human bytes kilo mega giga total wide
cal            data         135jmsyw
expr           words         -
bc             read         lqsw
test|[         test         -
cd|pushd       cd           LPe@
set            set          -
find           find         -
sed            sed          nrEszui!?e:f!<l:        quiet silent regexp-extended expression: file!< in-place!? null-data separate unbuffered line-length: posix sandbox debug
awk|gawk|mawk|nawk awk      F:v:f!<i!:l!:e!:        field-separator: assign:
jq             jq           rcnsejaSMCL!:          raw-output compact-output null-input slurp exit-status join-output ascii-output sort-keys monochrome-output color-output raw-input tab indent: arg: argjson: args jsonargs seq stream slurpfile!: rawfile!: from-file!<
git            git          -
gofmt          gofmt        ldsew!r!:
tar            tar          -
@tar           -            tvzjJaf:xC:crupkmOX!<T!<PhWwSsI!:  list extract get create append update file: directory: verbose gzip bzip2 xz zstd auto-compress exclude: strip-components: one-top-level? wildcards no-same-owner to-stdout

mkdir          write        m:pv                    mode: parents verbose
touch          write        acmd:r<t:h              no-create date: reference< time: no-dereference
tee            write        aip                     append ignore-interrupts
truncate       write        cor<s:                  no-create size: reference<
chmod          mode         cfvRrwxXst              changes silent quiet verbose recursive reference<
chown|chgrp    mode         cfhvRHLP                changes silent quiet verbose recursive dereference no-dereference reference<
rm|unlink|shred delete      dfiIrRvuzn:             force interactive? recursive dir verbose one-file-system no-preserve-root preserve-root? remove? zero
rmdir          delete       pv                      ignore-fail-on-non-empty parents verbose
cp             copy         abdfiHlLnPprRsSt:>TuvxZ  archive attributes-only backup? copy-contents force interactive link dereference no-clobber no-dereference preserve? no-preserve: parents recursive reflink? remove-destination sparse: strip-trailing-slashes symbolic-link suffix: target-directory> no-target-directory update? verbose one-file-system
install        copy         bcCdDg:m:o:psSt:>Tv     mode: owner: group: directory target-directory> no-target-directory verbose compare
mv             move         bfinSt:>Tuv             backup? force interactive no-clobber strip-trailing-slashes suffix: target-directory> no-target-directory update? verbose
ln             link         bdfiLnPrsSt:>Tv         backup? force interactive logical no-dereference physical relative symbolic suffix: target-directory> no-target-directory verbose
dd             dd           -
patch          patch        bcd:D:eEfF:i<lnNo>p:r>RstTuvZ  dry-run input< output> reject-file> strip: forward reverse backup directory: force batch silent quiet
unzip          unzip        lvtZqonjd:x:aCLXpP:
zip            zip          r0123456789jqmueyx:i:9  recurse-paths quiet exclude:
gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd pack cdfklnqrtv0123456789  stdout decompress force keep list quiet recursive test verbose
curl           curl         #aA:b:c>C:d:D>e:E<fF:gGhH:iIjkK<lLm:MnNo>OpP:qQ:r:RsST<t:u:U:vVw:x:X:y:Y:z:Z0123456  output> request: header: data: data-raw: data-binary: data-urlencode: json: form: form-string: upload-file< user: user-agent: cookie: cookie-jar> dump-header> fail fail-with-body location silent show-error head insecure include max-time: connect-timeout: retry: retry-delay: retry-connrefused retry-all-errors compressed remote-name remote-header-name create-dirs output-dir: verbose url: get globoff http1.1 http2 http3 proxy: resolve: cacert< cert< key< write-out: trace> trace-ascii> ipv4 ipv6 oauth2-bearer: parallel range: referer: no-progress-meter progress-bar netrc config< tlsv1.2
wget           wget         qO>o>a>P:cNrnvdSkpi<l:A:R:T:t:U:bxKHmE46  quiet output-document> output-file> append-output> directory-prefix: continue timestamping recursive no-verbose no-check-certificate header: post-data: post-file< user: password: user-agent: timeout: tries: input-file< level: no-parent mirror spider show-progress method: body-data:
`
