package charset

// samples are short texts in the languages of the encodings, as source files have them.
func samples() map[Encoding][]string {
	return map[Encoding][]string{
		GBK: {
			"初始化计数器", "测试中文内容", "标题：旧", "旧注释", "编码", "你好，世界！", "读取配置文件失败，请检查路径是否正确。",
			"这个函数返回当前用户的订单列表，如果没有登录就抛出异常。",
			"春天来了，公园里的花都开了。孩子们在草地上跑来跑去，老人坐在长椅上晒太阳，谁也不着急回家。",
			"服务器启动时先加载数据库连接池，再注册定时任务；任何一步出错都要写入日志，并且把错误码返回给调用者。",
			"注意：此处的超时时间以毫秒为单位，修改之后需要重新启动程序才能生效。",
		},
		Big5: {
			"繁體中文設定", "檔案讀取失敗", "你好，世界！", "請輸入使用者名稱與密碼。",
			"這個函式會傳回目前使用者的訂單清單，如果沒有登入就拋出例外。",
			"春天來了，公園裡的花都開了。孩子們在草地上跑來跑去，老人坐在長椅上曬太陽，誰也不急著回家。",
			"伺服器啟動時先載入資料庫連線池，再註冊排程工作；任何一步出錯都要寫入記錄檔。",
		},
		ShiftJIS: {
			"設定ファイル", "名前=山田", "備考：追加", "こんにちは、世界！", "エラーが発生しました。",
			"この関数は現在のユーザーの注文一覧を返します。ログインしていない場合は例外を投げます。",
			"春が来て、公園の花が咲きました。子供たちは草の上を走り回り、老人はベンチに座っています。",
			"サーバーの起動時にはまずデータベースの接続を読み込み、次に定期処理を登録する。",
		},
		EUCKR: {
			"안녕하세요", "설정 파일", "파일을 읽을 수 없습니다", "사용자 이름과 비밀번호를 입력하세요.",
			"이 함수는 현재 사용자의 주문 목록을 반환합니다. 로그인하지 않았으면 예외를 던집니다.",
			"봄이 와서 공원의 꽃이 모두 피었다. 아이들은 풀밭을 뛰어다니고 노인들은 의자에 앉아 햇볕을 쬔다.",
		},
		Latin1: {
			"saluto=Perch\u00e9 no\noki=s\u00ec\n", "// Gr\u00f6\u00dfe der Tabelle pr\u00fcfen\n", "El ni\u00f1o comi\u00f3 en la ma\u00f1ana.\n",
			"\u00c9l\u00e8ve fran\u00e7ais, d\u00e9j\u00e0 vu \u00e0 l'\u00e9cole.\n", "\u00c4pfel und \u00d6l kosten 5 \u00b0 mehr\n", "/* Copyright \u00a9 Jos\u00e9 */\n",
		},
		Windows1252: {"he said \u201chi\u201d \u2013 caf\u00e9\n", "prix: 10 \u20ac la pi\u00e8ce\n"},
		UTF16LE:     {"plain text of some length\r\n", "注释 and more words here\r\n", "Gr\u00f6\u00dfe \U0001F600 in a line\n"},
		UTF16BE:     {"plain text of some length\r\n", "注释 and more words here\r\n", "Gr\u00f6\u00dfe \U0001F600 in a line\n"},
		GB18030:     {"注释里有表情\U0001F600和生僻字\U00020087，其余的都是普通文字\n"},
		UTF8:        {"注释 \U0001F600\n", "caf\u00e9\n", "plain\n", ""},
	}
}
